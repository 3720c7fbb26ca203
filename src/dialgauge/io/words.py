"""Words for messages and notes: names from the data, shortened and made harmless, and counts."""

from collections.abc import Iterable


def shorten(names: Iterable[object], most: int = 6) -> str:
    """Write the first names with quotes around them, and how many more there are."""
    texts = [repr(clip(str(name))) for name in names]
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def clip(text: str, longest: int = 60) -> str:
    """Cut a long text and escape what cannot be printed, so that one cell cannot fill or break a message."""
    shown = text if text.isprintable() else repr(text)[1:-1]
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def count(n: int, noun: str) -> str:
    """Write a number with its noun, which takes an s unless it is one."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
