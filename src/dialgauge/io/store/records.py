"""What goes into the store and comes out of it, besides ratings and attempts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.model import CodeRater, LlmRater, Missing, PromptSettings

OPERATIONAL = frozenset({"name", "kind", "concurrency", "key_env", "price", "replicates", "measures"})
"""Settings that say how, how often and for what a rater is called, not what it is: they may change under its name."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What all attempts have used so far.

    ``cost`` and the tokens are sums over the calls of which they are known; ``calls_of_unknown_cost`` and
    ``calls_of_unknown_tokens`` count the others. Only calls of language models count.
    """

    calls: int
    cost: float
    calls_of_unknown_cost: int
    input_tokens: int
    output_tokens: int
    calls_of_unknown_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCounts:
    """How many ratings of a rater have a value, and how many are missing for which reason."""

    rater: str
    with_value: int
    missing: Mapping[Missing, int]


def describe_rater(rater: LlmRater | CodeRater, prompt: PromptSettings, template: str | None = None) -> RaterEntry:
    """Return what the store keeps of a rater of ``study.toml``; ``template`` is the text of the prompt for models."""
    settings = rater.model_dump(mode="json", exclude=set(OPERATIONAL))
    if isinstance(rater, CodeRater):
        return RaterEntry(name=rater.name, kind=rater.kind, settings=settings)
    settings["prompt"] = prompt.model_dump(mode="json", exclude={"template"})
    return RaterEntry(name=rater.name, kind=rater.kind, settings=settings, template=template)


def to_canonical(content: object) -> str:
    """Write JSON types so that equal contents give equal texts."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """Return the SHA-256 of ``text`` as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
