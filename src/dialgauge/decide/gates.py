"""Gates: dimensions and uses that must be trusted, for whoever goes on only then."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dialgauge.decide.judge import Verdict
from dialgauge.decide.policy import Use
from dialgauge.errors import PolicyError


@dataclass(frozen=True, slots=True)
class Gate:
    """A use that must be permitted for a ``dimension``; for every dimension where that is None."""

    dimension: str | None
    use: str

    @classmethod
    def parse(cls, text: str) -> "Gate":
        """Read ``DIMENSION:USE``; the last colon counts. Raises PolicyError for another form."""
        dimension, colon, use = text.rpartition(":")
        if not (colon and dimension.strip() and use.strip()):
            msg = f"a gate is written DIMENSION:USE, such as safety:real-time, got {text!r}"
            raise PolicyError(msg)
        return cls(dimension.strip(), use.strip())


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether one dimension by one rater ("" for all together) may be put to the use that a gate demands."""

    dimension: str
    rater: str
    use: str
    passed: bool
    words: str


Found = tuple[str, str, str, Verdict, str]
"""Dimension, rater, use, verdict, and the verdict in words."""


def hold_gates(found: Sequence[Found], gates: Iterable[Gate], uses: Sequence[Use]) -> tuple[GateResult, ...]:
    """Return for each gate whether its verdicts permit the use, for each rater of the dimension.

    Raises PolicyError for a gate on a use that is not decided about or a dimension that is not there.
    """
    by_name = {use.name: use for use in uses}
    results: dict[GateResult, None] = {}
    for gate in gates:
        if gate.use not in by_name:
            msg = f"a gate is on the use {gate.use!r}, which is not decided about; there are {', '.join(by_name)}"
            raise PolicyError(msg)
        concerned = [f for f in found if f[2] == gate.use and gate.dimension in (None, f[0])]
        if not concerned:
            names = ", ".join(dict.fromkeys(f[0] for f in found)) or "none"
            msg = f"a gate is on the dimension {gate.dimension!r}, which has no ratings; there are {names}"
            raise PolicyError(msg)
        for dimension, rater, use, verdict, words in concerned:
            passed = verdict == "trust" or (verdict == "average k raters" and by_name[use].average_passes)
            results[GateResult(dimension, rater, use, passed, words)] = None
    return tuple(results)
