"""One rating, and the attempts that were made to get it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Missing = Literal["unparsed", "off-scale", "refused", "not-applicable", "error", "timeout"]
"""Why there is no value: the answer names no value or more than one; it names one that is not on the scale; the rater
declined; the target has nothing of the kind (code raters: no times, no words); the call failed; it took too long."""

MISSING_REASONS: tuple[Missing, ...] = get_args(Missing)

Purpose = Literal["study", "planted", "probe", "anchor"]
"""What a target is there for: the study itself, planted dialogues of known quality, dialogues with injected text, the
fixed set that is rated again and again."""

PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One rater's answer to one dimension of one target in one replicate: a value, or the reason why there is none.

    ``text`` is the part of the answer that was read, ``rationale`` the reason that the rater gave. ``mass`` is the
    probability that the model put on the answers of the scale (0 to 1; None where it was not asked); with
    ``expected`` the value is the mean of the scale under these probabilities. ``occasion`` counts scheduled
    re-ratings of an anchor set, 0 for the study itself; replicates go on counting over occasions.
    """

    target: str
    dimension: str
    rater: str
    replicate: int
    value: float | None = None
    missing: Missing | None = None
    text: str | None = None
    rationale: str | None = None
    mass: float | None = None
    expected: bool = False
    occasion: int = 0

    def __post_init__(self) -> None:
        if (self.value is None) == (self.missing is None):
            msg = "a rating has either a value or the reason why it is missing"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call that was made for the ratings of ``dimensions`` in one replicate, as sent and as received.

    ``number`` counts the attempts of one such set from 1. ``state`` is "ok", a missing reason, or "partial" where
    only some of the dimensions got a value. ``request`` and ``answer`` are the raw texts; ``answer`` is None where
    nothing came back. Tokens are as the endpoint counted them, None where it did not say. ``cost`` is in the currency
    of the study's prices, None where a price or a count is unknown; then the ``reckoned`` fields hold what was taken
    from the budget for the tokens that were not counted, and for the call. ``seconds`` is the time until the answer or
    the failure.
    """

    rater: str
    target: str
    dimensions: tuple[str, ...]
    replicate: int
    number: int
    started: datetime
    seconds: float
    state: str
    request: str
    answer: str | None = None
    status: int | None = None
    finish_reason: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    error: str | None = None
    reckoned_tokens: int | None = None
    reckoned_cost: float | None = None
