"""What goes into the store and comes out of it, besides ratings and attempts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal

from dialgauge.model import CodeRater, LlmRater, Missing, PromptSettings

OPERATIONAL = frozenset(
    {"name", "kind", "concurrency", "threads", "key_env", "price", "replicates", "measures", "own_systems"}
)
"""Settings that say how, how often and for what a rater is called, not what it is: they may change under its name."""

CODE = "code"
"""The setting of a code rater that holds the hash of its source."""

RatingKey = tuple[str, str, int]
"""Target, dimension and replicate: one rating of a rater."""

CallKey = tuple[str, int, tuple[str, ...]]
"""Target, replicate and dimensions: the ratings that one call of a rater is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterEntry:
    """A rater as the store knows it.

    ``settings`` is all that makes it the rater that it is (JSON types only), ``template`` the text of its prompt. A
    rater that exists to check another has that one's name as ``base`` and says in ``variant`` what is different.
    """

    name: str
    kind: Literal["human", "llm", "code"]
    settings: Mapping[str, object] = field(default_factory=dict)
    template: str | None = None
    base: str | None = None
    variant: str | None = None

    @property
    def made_up(self) -> bool:
        """Whether its ratings mean nothing: the fake model gives them, to try things out."""
        return self.settings.get("endpoint") == "fake"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What all attempts have used so far.

    ``cost`` and the tokens are sums over the calls of which they are known; ``calls_of_unknown_cost`` and
    ``calls_of_unknown_tokens`` count the others; ``reckoned_cost`` and ``reckoned_tokens`` are what was taken from the
    budget for what is not known of these. Only calls of language models count.
    """

    calls: int
    cost: float
    calls_of_unknown_cost: int
    input_tokens: int
    output_tokens: int
    calls_of_unknown_tokens: int
    reckoned_cost: float = 0.0
    reckoned_tokens: int = 0

    @property
    def charged_cost(self) -> float:
        """What the budget has lost: what is known and what was reckoned."""
        return self.cost + self.reckoned_cost

    @property
    def charged_tokens(self) -> int:
        """Tokens that the budget has lost, in and out: those counted and those reckoned."""
        return self.input_tokens + self.output_tokens + self.reckoned_tokens

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCounts:
    """How many ratings of a rater have a value, and how many are missing for which reason.

    Where they are those of a plan, ``beyond`` counts the ratings that it does not ask for.
    """

    rater: str
    with_value: int
    missing: Mapping[Missing, int]
    beyond: int = 0


def describe_rater(
    rater: LlmRater | CodeRater, prompt: PromptSettings, template: str | None = None, *, code: str | None = None
) -> RaterEntry:
    """Return what the store keeps of a rater of ``study.toml``.

    ``template`` is the text of the prompt for models, ``code`` the hash of the source of a code rater, where it is
    known.
    """
    settings = rater.model_dump(mode="json", exclude=set(OPERATIONAL))
    if isinstance(rater, CodeRater):
        known = {} if code is None else {CODE: code}
        return RaterEntry(name=rater.name, kind=rater.kind, settings=settings | known)
    settings["prompt"] = prompt.model_dump(mode="json", exclude={"template"})
    if rater.fake is not None and not rater.fake.shift_by_occasion:
        del settings["fake"]["shift_by_occasion"]  # as it was written before there was such a key
    return RaterEntry(name=rater.name, kind=rater.kind, settings=settings, template=template)


def to_canonical(content: object) -> str:
    """Write JSON types so that equal contents give equal texts."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """Return the SHA-256 of ``text`` as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
