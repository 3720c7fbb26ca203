"""Dialogues with an injected text, and the same dialogues with a neutral text of like length in its place."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, zip_longest

from dialgauge.collect.checking import choose_evenly, choose_targets, dialogues_of, planted_for
from dialgauge.collect.injections import Injection, injections
from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import Share
from dialgauge.errors import StudyError
from dialgauge.io.store import Store
from dialgauge.io.study import StudyFolder
from dialgauge.model import Dialogue, LlmRater, Scale, Turn

NEUTRAL = (
    "By the way, it has been raining here since the early morning.",
    "The neighbour's cat sits in the window again and looks at the birds.",
    "I am having a cup of tea while I write this, with a little milk.",
    "There is some noise in the street, because the road is being mended.",
    "My sister came by an hour ago and brought back the umbrella.",
    "The train was on time today, and I found a seat by the window.",
)
"""Sentences that ask for nothing and praise and blame nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One dialogue in two forms: with the text of ``injection``, and with a neutral text instead.

    ``source`` is the target that both were made from; ``dimensions`` are those for whose scale the text was written,
    ``pushed`` the value of that scale which it asks for.
    """

    source: str
    injection: Injection
    dimensions: tuple[str, ...]
    pushed: float
    injected: Dialogue
    neutral: Dialogue


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbePlan:
    """What is probed: the probes, the dimensions, and the dialogues that they were made from."""

    probes: tuple[Probe, ...]
    dimensions: tuple[str, ...]
    sources: tuple[str, ...]


def open_probe(
    folder: StudyFolder, store: Store, *, n_targets: int = 10, dimensions: Sequence[str] | int = 3
) -> tuple[ProbePlan, tuple[tuple[Share, ...], ...]]:
    """Bring the probes of a study into ``store``, and return them with what is to be rated, round by round.

    ``n_targets`` dialogues of the study are taken, and planted ones where it has fewer. ``dimensions`` are names, or
    how many to choose evenly over the groups. Raises StudyError for a number below 1, for a dimension that cannot be
    pushed (nominal, or open at an end) and where none can, InstrumentError for one that is not there.
    """
    if n_targets < 1:
        msg = f"a probe takes at least one target, got {n_targets}; --targets 10 is usual"
        raise StudyError(msg)
    raters = [rater for rater in folder.study.raters if isinstance(rater, LlmRater)]
    if not raters:
        msg = "the study has no model rater that could be probed; add one to study.toml"
        raise StudyError(msg)
    gone = register_study(folder, store)
    names = _choose_dimensions(folder, raters[0], dimensions)
    chosen = choose_targets(store, n_targets, seed=folder.study.seed, without=gone)
    sources = list(dialogues_of(store, chosen))
    if not any(rater.audio for rater in raters):
        dialogues = (one.dialogue for one in planted_for(folder.instrument))
        sources += sorted(dialogues, key=lambda one: one.id)[: n_targets - len(sources)]
    plan = make_probes(folder, sources, names)
    store.add_targets((part for one in plan.probes for part in (one.injected, one.neutral)), purpose="probe")
    shares = [_shares_of(rater, plan) for rater in raters]
    rounds = zip_longest(*shares)
    return plan, tuple(tuple(share for share in each if share is not None) for each in rounds)


def make_probes(folder: StudyFolder, sources: Sequence[Dialogue], dimensions: Sequence[str]) -> ProbePlan:
    """Return the probes of ``sources``: each with each injected text, once for each wording that the scales need."""
    probes = []
    for injection in injections():
        alike: dict[tuple[str, float], list[str]] = {}
        for name in dimensions:
            scale = folder.instrument.scale_for(name)
            alike.setdefault((injection.text_for(scale), injection.target_on(scale)), []).append(name)
        for (text, pushed), names in alike.items():
            neutral = neutral_text(len(text))
            probes += [
                Probe(
                    source=source.id,
                    injection=injection,
                    dimensions=tuple(names),
                    pushed=pushed,
                    injected=insert_text(source, text),
                    neutral=insert_text(source, neutral),
                )
                for source in sources
            ]
    return ProbePlan(probes=tuple(probes), dimensions=tuple(dimensions), sources=tuple(source.id for source in sources))


def insert_text(dialogue: Dialogue, text: str) -> Dialogue:
    """Return ``dialogue`` with ``text`` at the end of its last user turn, or as a user turn where it has none.

    The new identifier is made from the content and tells nothing of it.
    """
    turns = list(dialogue.turns)
    last = next((i for i in reversed(range(len(turns))) if turns[i].speaker.casefold() == "user"), None)
    if last is None:
        turns.append(Turn(speaker="user", text=text))
    else:
        turns[last] = turns[last].model_copy(update={"text": f"{turns[last].text} {text}"})
    changed = dialogue.model_copy(update={"turns": tuple(turns)})
    digest = hashlib.sha256(changed.model_dump_json().encode()).hexdigest()
    return changed.model_copy(update={"id": f"probe-{digest[:16]}"})


def neutral_text(length: int) -> str:
    """Return neutral sentences of about ``length`` characters: whole words, the last sentence cut to fit."""
    words: list[str] = []
    for word in cycle(" ".join(NEUTRAL).split()):
        longer = sum(map(len, words)) + len(words) + len(word)
        if words and abs(longer - length) > abs(longer - len(word) - 1 - length):
            break
        words.append(word)
    return " ".join(words).rstrip(".,") + "."


def _choose_dimensions(folder: StudyFolder, rater: LlmRater, asked: Sequence[str] | int) -> tuple[str, ...]:
    instrument = folder.instrument
    known = folder.dimensions_of(rater)
    if not isinstance(asked, int):
        for name in asked:
            scale = instrument.scale_for(name)
            if name not in known:
                msg = f"the study does not rate the dimension {name!r}; it rates {', '.join(known)}"
                raise StudyError(msg)
            if not _can_be_pushed(scale):
                msg = f"the dimension {name!r} has {scale}, which has no ends to push to; choose others by --dimensions"
                raise StudyError(msg)
        return tuple(dict.fromkeys(asked))
    if asked < 1:
        msg = f"a probe takes at least one dimension, got {asked}; --dimensions 3 is usual"
        raise StudyError(msg)
    found = choose_evenly(instrument, [n for n in known if _can_be_pushed(instrument.scale_for(n))], asked)
    if not found:
        msg = "no dimension of the study has a scale with two ends to push to; a probe needs an ordered, bounded scale"
        raise StudyError(msg)
    return found


def _can_be_pushed(scale: Scale) -> bool:
    return scale.level != "nominal" and all(map(math.isfinite, scale.bounds))


def _shares_of(rater: LlmRater, plan: ProbePlan) -> list[Share]:
    """Return a share for each set of dimensions that have one wording in common."""
    targets: dict[tuple[str, ...], dict[str, None]] = {}
    for probe in plan.probes:
        targets.setdefault(probe.dimensions, {}).update(dict.fromkeys((probe.injected.id, probe.neutral.id)))
    return [
        Share(rater, names, (1,), purpose="probe", targets=tuple(found), order="fixed")
        for names, found in targets.items()
    ]
