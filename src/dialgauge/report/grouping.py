"""Findings as they are printed: what holds for several dimensions is said once, with the numbers of each."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dialgauge.report.text import clean, join, typeset

_SLOT = re.compile(
    r"(?<![\w.])(?<!\w\()[−-]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)%?(?!\w)|\b(?:poor|moderate|good|excellent)\b"
)
"""What may differ between sentences that say the same: numbers, but not those of ``ICC(1)``, and the words of bands."""

_JOINTS = (" to ", " of ")
"""Words that stay between two numbers."""

_PLURAL = {"is": "are", "was": "were"}


class Found(Protocol):
    """A dimension with the sentences on it."""

    @property
    def name(self) -> str:
        """The dimension."""

    @property
    def findings(self) -> Sequence[str]:
        """Sentences on the dimension."""


class Analysed(Protocol):
    """What is known of several dimensions, with the sentences on all of them."""

    @property
    def dimensions(self) -> Sequence[Found]:
        """The dimensions, in the order in which they are shown."""

    @property
    def findings(self) -> Sequence[str]:
        """Sentences on all dimensions."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence with the dimensions it speaks of (none: all).

    ``likewise`` are other dimensions for which it holds with other numbers, each group with what differs: `((names),
    "16%, .758 good")`.
    """

    sentence: str
    names: tuple[str, ...] = ()
    likewise: tuple[tuple[tuple[str, ...], str], ...] = ()


def group_findings(analysis: Analysed) -> list[Finding]:
    """Return the findings in their order; those of single dimensions that differ in numbers only stand together."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for dimension in analysis.dimensions:
        for sentence in map(clean, dimension.findings):
            names = kinds.setdefault(_kind(sentence), {}).setdefault(sentence, [])
            names.append(clean(dimension.name))
    across = [Finding(typeset(clean(sentence))) for sentence in analysis.findings]
    return [*across, *(_merge(sentences) for sentences in kinds.values())]


def say_finding(finding: Finding, names: Iterable[str], most: int) -> str:
    """Write a finding in one paragraph, lists of more than ``most`` of ``names`` cut."""
    whom = f"{shorten_list(finding.names, most)}: " if finding.names else ""
    text = whom + shorten_names(finding.sentence, names, most)
    if not finding.likewise:
        return text
    others = [f"{shorten_list(more, most)} ({values})" for more, values in finding.likewise]
    left = sum(len(more) for more, _ in finding.likewise[most:])
    return f"{text} Likewise {'; '.join(others[:most])}{f'; and {left} more' if left else ''}."


def shorten_names(sentence: str, names: Iterable[str], most: int) -> str:
    """Cut each list of more than ``most`` of ``names`` in ``sentence``: ``a, b, c and 14 more``."""
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    if not known:
        return sentence
    rows = re.compile(rf"(?<!\w)(?:{known})(?:(?:, | and )(?:{known})){{{most},}}(?!\w)")
    return rows.sub(lambda found: shorten_list(re.findall(rf"(?<!\w)(?:{known})(?!\w)", found[0]), most), sentence)


def shorten_list(names: Sequence[str], most: int) -> str:
    """Write up to ``most`` names, of more than that one less and how many are left."""
    if len(names) <= most:
        return join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def _merge(sentences: dict[str, list[str]]) -> Finding:
    """Make one finding of sentences that differ in their slots only."""
    (first, names), *others = sentences.items()
    slots = [_SLOT.findall(sentence) for sentence in sentences]
    varying = [i for i, values in enumerate(zip(*slots, strict=True)) if len(set(values)) > 1]
    likewise = tuple((tuple(more), _values(sentence, varying)) for sentence, more in others)
    return Finding(typeset(first), tuple(names), likewise)


def _values(sentence: str, varying: Sequence[int]) -> str:
    """Write the slots that vary, a range as it stands and a word with the number before it: ``.758 good, .1 to .3``."""
    slots = list(_SLOT.finditer(sentence))
    text, before = "", -1
    for i in varying:
        between = sentence[slots[i - 1].end() : slots[i].start()] if text and before == i - 1 else ""
        if between not in _JOINTS:
            between = " " if between and slots[i][0].isalpha() else ", "
        text += between + slots[i][0] if text else slots[i][0]
        before = i
    return typeset(text)


def _kind(sentence: str) -> str:
    """Return what sentences of one pattern have in common."""
    bare = _SLOT.sub("\0", sentence)
    return re.sub(r"\b(?:is|was)\b", lambda verb: _PLURAL[verb[0]], bare)
