"""What a check of a rater found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCheck:
    """One check of one rater, on one dimension or (``dimension`` is None) on all that it rates.

    ``check`` names it in a few words, such as "constant answers" or "known groups in order"; ``detail`` is a sentence
    with the numbers, without the final stop. A check that could not be made has no record: unknown is not failed.
    """

    rater: str
    dimension: str | None
    check: str
    passed: bool
    detail: str = ""

    def concerns(self, rater: str, dimension: str) -> bool:
        """Tell whether the check is about the ratings of ``dimension`` by ``rater``."""
        return self.rater == rater and self.dimension in (None, dimension)
