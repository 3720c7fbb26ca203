"""Raters that exist to check another: in what they differ from it."""

from typing import Literal, get_args

Variant = Literal["same dimensions", "other answers", "reversed questions", "reversed scale"]
"""Asked for the chosen dimensions alone, in their declared order; with answers free instead of constrained, or the
reverse; with the dimensions of a call in reverse order; with the answers of each scale listed in reverse."""

VARIANTS: tuple[Variant, ...] = get_args(Variant)
