"""What checks of the model raters of a study need: planted dialogues, and variants of each rater on a few targets."""

import hashlib
import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from dialgauge.collect.opening import prompt_of, register_raters, register_study
from dialgauge.collect.plan import Share
from dialgauge.collect.planted import Planted, planted
from dialgauge.errors import StudyError
from dialgauge.io.store import RaterEntry, Store
from dialgauge.io.store.records import describe_rater
from dialgauge.io.study import StudyFolder
from dialgauge.model import Dialogue, Instrument, LlmRater, Variant

MOST_TARGETS = 20
"""Targets of the study on which variants rate, besides the planted dialogues."""

MOST_DIMENSIONS = 8
"""Dimensions that variants rate."""

MOST_PLANTED = 24
"""Dimensions of known order that are rated on planted dialogues."""

_ONCE = (1,)


@dataclass(frozen=True, slots=True)
class _Check:
    """One model rater with what it is to be asked for its checks."""

    folder: StudyFolder
    rater: LlmRater
    targets: tuple[str, ...]
    planted: tuple[Planted, ...]

    @property
    def several(self) -> bool:
        """Whether several dimensions are put in one call."""
        return self.folder.study.prompt.dimensions_per_call not in {"one", 1} and len(self.all) > 1

    @property
    def all(self) -> tuple[str, ...]:
        """The dimensions of the study."""
        return self.folder.dimensions_of(self.rater)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The dimensions of the variants; with a number in each call, as many as fill whole calls."""
        found = choose_evenly(self.folder.instrument, self.all, MOST_DIMENSIONS)
        per_call = self.folder.study.prompt.dimensions_per_call
        if self.several and isinstance(per_call, int) and len(found) > per_call:
            found = choose_evenly(self.folder.instrument, self.all, len(found) - len(found) % per_call)
        return found

    def shares(self) -> Iterator[Share]:
        """Yield what lacks for the checks, part by part: the rater on planted dialogues, then its variants."""
        chosen = self.chosen
        if self.planted:
            known = [name for name in self.all if any(name in one.expected for one in self.planted)]
            known = list(choose_evenly(self.folder.instrument, known, MOST_PLANTED))
            names = tuple(name for name in self.all if name in {*known, *(() if self.several else chosen)})
            yield self._on_planted(Share(self.rater, names, _ONCE))
        if not self.several and self.targets:
            yield Share(self.rater, chosen, _ONCE, targets=self.targets)
        for _, share in self.variants():
            if self.targets:
                yield replace(share, targets=self.targets)
            if self.planted:
                yield self._on_planted(share)

    def variants(self) -> Iterator[tuple[Variant, Share]]:
        """Yield each variant with its share, before targets are chosen."""
        rater, chosen = self.rater, self.chosen
        base = Share(rater, chosen, _ONCE, order="fixed")
        if self.several:
            yield "same dimensions", replace(base, rater=_named(rater, "same dimensions"))
        if rater.scoring == "sampled":
            answers = "free" if rater.answers == "schema" else "schema"
            changed = _named(rater, "other answers").model_copy(update={"answers": answers})
            yield "other answers", replace(base, rater=changed)
        if self.several:
            per_call = self.folder.study.prompt.dimensions_per_call
            size = per_call if isinstance(per_call, int) else len(chosen)
            turned = chain.from_iterable(chosen[i : i + size][::-1] for i in range(0, len(chosen), size))
            changed = _named(rater, "reversed questions")
            yield "reversed questions", replace(base, rater=changed, dimensions=tuple(turned))
            return
        listed = tuple(name for name in chosen if self.folder.instrument.scale_for(name).points is not None)
        if listed:
            changed = _named(rater, "reversed scale")
            yield "reversed scale", replace(base, rater=changed, dimensions=listed, backwards=True)

    def _on_planted(self, share: Share) -> Share:
        return replace(share, purpose="planted", targets=tuple(one.dialogue.id for one in self.planted))


def open_checks(folder: StudyFolder, store: Store) -> tuple[tuple[Share, ...], ...]:
    """Bring what the checks of the model raters of ``folder`` need into ``store``, and return what is to be rated.

    The first part of each rater comes first, then the second of each, and so on: parts of one rater and its variants
    are never under way together. Raises what `register_study` raises.
    """
    gone = register_study(folder, store)
    dialogues = planted_for(folder.instrument)
    store.add_targets((one.dialogue for one in dialogues), purpose="planted")
    targets = choose_targets(store, MOST_TARGETS, seed=folder.study.seed, without=gone)
    checks = [
        _Check(folder, rater, targets, () if rater.audio else dialogues)
        for rater in folder.study.raters
        if isinstance(rater, LlmRater)
    ]
    entries = [_describe(check, variant, share) for check in checks for variant, share in check.variants()]
    register_raters(folder, store, *entries)
    rounds = zip_longest(*(check.shares() for check in checks))
    return tuple(tuple(share for share in shares if share is not None) for shares in rounds)


def planted_for(instrument: Instrument) -> tuple[Planted, ...]:
    """Return the planted dialogues for ``instrument``, none where there are none for it."""
    try:
        return planted(instrument.name)
    except StudyError:
        return ()


def choose_evenly(instrument: Instrument, names: Sequence[str], most: int) -> tuple[str, ...]:
    """Return at most ``most`` of ``names``: one of each group of dimensions, then a second of each, and so on.

    They come in the order of the instrument.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(instrument.dimension(name).group, []).append(name)
    turns = [name for turn in zip_longest(*groups.values()) for name in turn if name is not None]
    kept = set(turns[:most])
    return tuple(name for name in names if name in kept)


def choose_targets(store: Store, most: int, *, seed: int, without: Collection[str] = ()) -> tuple[str, ...]:
    """Return at most ``most`` targets of the study, drawn by ``seed``; those of a smaller draw are among them.

    Those in ``without`` are not drawn.
    """
    ids = (one.id for one in store.targets() if one.id not in without)
    drawn = heapq.nsmallest(most, ((_place(seed, name), name) for name in ids))
    return tuple(name for _, name in drawn)


def dialogues_of(store: Store, targets: Sequence[str]) -> tuple[Dialogue, ...]:
    """Return the dialogues of these targets of the study, in their order."""
    wanted = set(targets)
    found = {one.id: one for one in store.targets() if one.id in wanted}
    return tuple(found[name] for name in targets)


def _place(seed: int, target: str) -> str:
    return hashlib.sha256(f"{seed}\x1f{target}".encode()).hexdigest()


def _named(rater: LlmRater, variant: Variant) -> LlmRater:
    """Return ``rater`` under a name of its own. What it is a variant of stands in the store, not in the name."""
    return rater.model_copy(update={"name": f"{rater.name} ({variant})", "replicates": None})


def _describe(check: _Check, variant: Variant, share: Share) -> RaterEntry:
    rater = share.rater
    entry = describe_rater(rater, check.folder.study.prompt, prompt_of(check.folder).text)
    settings = {
        **entry.settings,
        "order": "reversed" if variant == "reversed questions" else share.order,
        "listing": "reversed" if share.backwards else "declared",
    }
    return replace(entry, settings=settings, base=check.rater.name, variant=variant)
