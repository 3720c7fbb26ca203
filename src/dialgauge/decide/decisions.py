"""Evidence and a policy in, a verdict for each dimension and use out, with its reasons."""

import importlib.metadata
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dialgauge.analyse.results import Coefficient
from dialgauge.decide.evidence import Evidence
from dialgauge.decide.gates import Gate, GateResult, hold_gates
from dialgauge.decide.judge import Candidate, Expected, Outcome, Verdict, judge, number
from dialgauge.decide.policy import Policy, Requirement, Use
from dialgauge.errors import PolicyError
from dialgauge.model import RaterCheck
from dialgauge.stats.estimate import Refusal

NO_SYSTEMS = Refusal(
    "it cannot be decided: nothing says which system a target belongs to",
    "give a table with a column of systems (--system), several targets for each of at least two systems",
)

_FLAGS: Mapping[str, str] = {
    "few_raters": "there are fewer than six raters, so how much they differ in severity is hardly known",
    "disconnected": "raters and targets fall into groups that share nothing, so severity and quality mix",
}
"""What a flag of an estimate means for a verdict that rests on it."""

_NAMES: Mapping[str, str] = {
    "single": "the reliability of one rating",
    "mean": "the reliability of a mean",
    "systems": "the reliability of means over the targets of a system",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict for one use of one dimension by one rater ("" for all raters together).

    ``k`` is the number of ``unit`` that a score averages over, ``n`` how many ``n_unit`` more to collect (with
    ``n_is_least`` more than that is expected); each is None where the verdict has no such number. ``expected`` says
    what so many more are expected to do to the use: let it "pass", or "rule out" the use; None where n is a demand of
    the policy. ``estimate`` decided, against ``threshold``. ``undecided`` says that nothing is known rather than that
    it is bad: such a verdict is always "do not use". ``vetoes`` are those of the ``reasons`` that tell of a failed
    check. ``policy_hash`` is that of all its content. ``rater_kind`` is "human" or "llm" where it is known.
    """

    dimension: str
    rater: str
    group: str
    use: str
    kind: str
    verdict: Verdict
    k: float | None
    unit: str
    n: int | None
    n_unit: str
    n_is_least: bool
    expected: Expected | None
    undecided: bool
    threshold: float
    coefficient: str
    estimate: Coefficient
    reasons: tuple[str, ...]
    vetoes: tuple[str, ...]
    policy: str
    policy_version: str
    policy_hash: str
    rater_kind: str = ""

    @property
    def words(self) -> str:
        """The verdict with its number: ``average 7 raters``, ``collect 40 more targets``; what is unlikely says so."""
        if self.verdict == "average k raters":
            return f"average {self.k:g} {self.unit}"
        if self.verdict == "collect n more" and self.n is not None:
            count = f"{'over ' if self.n_is_least else ''}{self.n:,} more {self.n_unit}"
            return f"unlikely, {count} to rule it out" if self.expected == "rule out" else f"collect {count}"
        return self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """All decisions of one policy on one set of ratings, in the order of the evidence and, within it, of the uses.

    ``gates`` says which of the demanded dimensions and uses hold. ``findings`` are sentences on what the verdicts do
    not say, the first ``n_leading`` of them on the ratings as such; ``notes`` tell how these were read.
    """

    source: str
    policy: Policy
    uses: tuple[Use, ...]
    decisions: Sequence[Decision]
    gates: Sequence[GateResult] = ()
    findings: Sequence[str] = ()
    notes: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)
    n_leading: int = 0

    @property
    def passed(self) -> bool:
        """Whether every gate holds; so without gates."""
        return all(gate.passed for gate in self.gates)

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Return dimension and rater of each row of the table of verdicts, in their order."""
        return tuple(dict.fromkeys((d.dimension, d.rater) for d in self.decisions))


def decide_uses(
    evidence: Sequence[Evidence],
    policy: Policy,
    *,
    uses: Iterable[str] | None = None,
    gates: Iterable[Gate] = (),
    checks: Iterable[RaterCheck] = (),
    source: str = "",
    notes: Sequence[str] = (),
    findings: Sequence[str] = (),
) -> Decisions:
    """Return the verdict for each use (all of the policy's, or those named) of each dimension in ``evidence``.

    ``gates`` are dimensions and uses that must be trusted. A failed check of ``checks`` vetoes every verdict on what it
    is about. ``findings`` stand before those that are made here. Raises PolicyError for a use that the policy does not
    have and a gate on what there is no evidence for.
    """
    chosen = _choose(policy, uses)
    vetoes = [check for check in checks if not check.passed]
    found = [_decide(one, use, policy, vetoes) for one in evidence for use in chosen]
    return Decisions(
        source=source,
        policy=policy,
        uses=chosen,
        decisions=tuple(found),
        gates=hold_gates([(d.dimension, d.rater, d.use, d.verdict, d.words) for d in found], gates, chosen),
        findings=(*findings, *_findings(evidence, chosen)),
        n_leading=len(findings),
        notes=tuple(notes),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


def _choose(policy: Policy, names: Iterable[str] | None) -> tuple[Use, ...]:
    known = {use.name: use for use in policy.uses}
    wanted = list(known) if names is None else list(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        msg = f"the policy {policy.name!r} has no use {unknown[0]!r}; it has {', '.join(known)}"
        raise PolicyError(msg)
    return tuple(known[name] for name in wanted)


def _decide(evidence: Evidence, use: Use, policy: Policy, vetoes: Sequence[RaterCheck]) -> Decision:
    requirement = use.requirement_for(evidence.dimension, evidence.group)
    candidate = _candidate(evidence, use, requirement)
    estimate: Coefficient
    if isinstance(candidate, Refusal):
        reason = f"{candidate.reason}; what would help: {candidate.remedy}"
        outcome, estimate = Outcome("do not use", (reason,), undecided=True), candidate
    else:
        judged = use if evidence.averages else use.model_copy(update={"most_k": 1})
        outcome, estimate = judge(candidate, judged, requirement), candidate.estimate
        outcome = _cap_targets(outcome, evidence, use, requirement)
    outcome = _cap_missing(outcome, evidence, requirement)
    outcome = _veto(outcome, evidence, vetoes)
    return Decision(
        dimension=evidence.dimension,
        rater=evidence.rater,
        group=evidence.group,
        use=use.name,
        kind=use.kind,
        verdict=outcome.verdict,
        k=outcome.k,
        unit=evidence.unit,
        n=outcome.n,
        n_unit=outcome.n_unit,
        n_is_least=outcome.n_is_least,
        expected=outcome.expected,
        undecided=outcome.undecided,
        threshold=requirement.threshold,
        coefficient=_NAMES[use.coefficient] if isinstance(candidate, Refusal) else candidate.what,
        estimate=estimate,
        reasons=(*outcome.reasons, *_remarks(outcome, evidence, use), *_doubts(estimate)),
        vetoes=outcome.vetoes,
        policy=policy.name,
        policy_version=policy.version,
        policy_hash=policy.hash,
        rater_kind=evidence.rater_kind,
    )


def _candidate(evidence: Evidence, use: Use, requirement: Requirement) -> Candidate | Refusal:
    """Return the coefficient that the use asks for."""
    if use.coefficient == "systems":
        return _of_systems(evidence)
    if use.coefficient == "single":
        return _of_one(evidence)
    if not evidence.averages:  # categories without an order have no mean: one rating is all there is
        return _of_one(evidence)
    if isinstance(evidence.mean, Refusal):  # one rating that suffices needs no mean
        one = _of_one(evidence)
        enough = isinstance(one, Candidate) and (one.estimate.low or 0.0) >= requirement.threshold
        return one if enough else evidence.mean
    what = f"the reliability of the mean of {use.k or evidence.k:.3g} {evidence.unit}"
    collected = Candidate(evidence.mean, evidence.k, what, evidence.unit, evidence.n_targets, evidence.k)
    return collected if use.k is None else collected.at(float(use.k))


def _of_one(evidence: Evidence) -> Candidate | Refusal:
    if isinstance(evidence.single, Refusal):
        return evidence.single
    what = f"the {evidence.measure} of one rating"
    return Candidate(evidence.single, 1.0, what, evidence.unit, evidence.n_targets, evidence.per_target)


def _of_systems(evidence: Evidence) -> Candidate | Refusal:
    found = evidence.systems
    if found is None or isinstance(found, Refusal):
        return found or NO_SYSTEMS
    what = f"the reliability of means over {found.per_system:.3g} targets, for {found.n_systems} systems,"
    per_system = found.per_system
    return Candidate(found.reliability, per_system, what, "targets", per_system, per_system, of_systems=True)


def _cap_targets(outcome: Outcome, evidence: Evidence, use: Use, requirement: Requirement) -> Outcome:
    systems = evidence.systems
    n, whole = evidence.n_targets, " in full"
    if use.coefficient == "systems" and not isinstance(systems, Refusal | None):
        n, whole = systems.n_targets, ""
    short = requirement.minimum_targets - n
    if short <= 0:
        return outcome
    reason = f"{n} targets were rated{whole}, and at least {requirement.minimum_targets} are asked for"
    return outcome.capped("collect n more", reason, n=short, n_unit="targets")


def _cap_missing(outcome: Outcome, evidence: Evidence, requirement: Requirement) -> Outcome:
    if evidence.missing_share <= requirement.most_missing:
        return outcome
    total = evidence.n_ratings + evidence.n_missing
    n = max(1, evidence.n_missing - int(requirement.most_missing * total))
    reason = (
        f"{evidence.n_missing:,} of {total:,} ratings are missing ({evidence.missing_share:.1%}), and at most "
        f"{requirement.most_missing:.1%} may be"
    )
    return outcome.capped("collect n more", reason, n=n, n_unit="ratings")


def _veto(outcome: Outcome, evidence: Evidence, vetoes: Sequence[RaterCheck]) -> Outcome:
    """Permit nothing where a check of the rater failed; of a panel, where one failed for every rater."""
    names = evidence.panel or (evidence.rater,)
    failed = {name: [c for c in vetoes if c.concerns(name, evidence.dimension)] for name in names}
    if all(failed.values()):
        for check in dict.fromkeys(check for found in failed.values() for check in found):
            detail = f" ({check.detail})" if check.detail else ""
            outcome = outcome.vetoed(f"rater {check.rater} failed the check “{check.check}”{detail}")
        return outcome
    some = [name for name, found in failed.items() if found]
    if some:
        shown = ", ".join(some[:6]) + (f" and {len(some) - 6} more" if len(some) > 6 else "")
        return outcome.capped(
            "trust", f"{len(some)} of {len(names)} raters failed a check: {shown}; look at them first"
        )
    return outcome


def _remarks(outcome: Outcome, evidence: Evidence, use: Use) -> tuple[str, ...]:
    """Return what has to be said beside the reasons."""
    found = []
    if outcome.verdict == "average k raters" and evidence.unit == "replicates":
        found.append("averaging replicates of one model takes out its noise, not what it gets wrong every time")
    if use.coefficient == "mean" and not evidence.averages:
        found.append("categories without an order have no mean, so one rating decides")
    systems = evidence.systems
    confounded = not isinstance(systems, Refusal | None) and not systems.shared_raters
    if use.coefficient == "systems" and confounded and not evidence.rater:
        found.append("some raters rated one system only, so their severity may look like a difference between systems")
    return tuple(found)


def _doubts(estimate: Coefficient) -> tuple[str, ...]:
    """Return what the flags of an estimate mean for a verdict that rests on it."""
    if isinstance(estimate, Refusal):
        return ()
    return tuple(_FLAGS[flag] for flag in estimate.flags if flag in _FLAGS)


def _findings(evidence: Sequence[Evidence], uses: Sequence[Use]) -> tuple[str, ...]:
    found = []
    if any(one.unit == "replicates" for one in evidence):
        found.append(
            "The verdicts on repeated ratings are about whether a model repeats itself, not about whether it is right: "
            "compare it with people before it decides anything for them."
        )
    names = {one.dimension for one in evidence}
    groups = {one.group for one in evidence}
    for use in uses:
        for override in use.overrides:
            absent = [n for n in override.dimensions if n not in names] + [
                n for n in override.groups if n not in groups
            ]
            if absent:
                found.append(
                    f"For {use.name} the policy asks something special of {', '.join(absent)}, which the ratings do "
                    f"not have ({number(use.threshold)} holds for the others): check the spelling."
                )
    return tuple(found)
