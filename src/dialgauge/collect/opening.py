"""Open a study for collecting: its folder, its store, and in the store what the folder says now."""

from collections.abc import Iterable, Iterator

from dialgauge.collect.code.functions import GROUP
from dialgauge.collect.prompt import Prompt
from dialgauge.collect.recordings import with_recording
from dialgauge.io.dialogues import iter_dialogues
from dialgauge.io.source import hash_source
from dialgauge.io.store import RaterEntry, Store
from dialgauge.io.study import StudyFolder
from dialgauge.model import CodeRater, Dialogue, LlmRater


def register_study(folder: StudyFolder, store: Store) -> frozenset[str]:
    """Bring instrument, raters, prompt and targets of ``folder`` into ``store``; return targets that it has no more.

    These are in the store and no longer in the file: they keep their ratings and are not to be rated further. A study
    whose dialogues were simulated may be without a file of targets: they are in the store. Raises StudyError and
    StoreError where something that was rated, or rated, is not as it was under the same name.
    """
    register_raters(folder, store)
    return register_dialogues(folder, store)


def register_dialogues(folder: StudyFolder, store: Store) -> frozenset[str]:
    """Bring the targets of ``folder`` into ``store``; returns and raises what `register_study` does for them."""
    if not folder.targets_path.exists() and store.count_targets():
        return frozenset()
    seen: set[str] = set()
    dialogues = iter_dialogues(folder.targets_path)
    if any(isinstance(rater, LlmRater) and rater.audio for rater in folder.study.raters):
        dialogues = (with_recording(dialogue, folder.root) for dialogue in dialogues)
    store.add_targets(_noted(dialogues, seen))
    return store.given_targets() - seen


def read_gone(folder: StudyFolder, store: Store) -> frozenset[str]:
    """Return the targets that ``folder`` has no more, as `register_dialogues` does, without writing to ``store``."""
    if not folder.targets_path.exists():
        return frozenset()
    return store.given_targets() - {dialogue.id for dialogue in iter_dialogues(folder.targets_path)}


def register_raters(folder: StudyFolder, store: Store, *others: RaterEntry) -> None:
    """Bring instrument, raters and prompt of ``folder`` into ``store``, and ``others``; raises what it raises."""
    template = prompt_of(folder).text
    code = {
        rater.name: known
        for rater in folder.study.raters
        if isinstance(rater, CodeRater) and rater.function is not None
        if (known := hash_source(rater.function, folder=folder.root, group=GROUP)) is not None
    }
    store.register(folder.study, folder.instrument, *others, measures=folder.measures, template=template, code=code)


def prompt_of(folder: StudyFolder) -> Prompt:
    """Return the template of the study: its own, or the one that ships with Dialgauge."""
    template = folder.study.prompt.template
    return Prompt.read(None if template is None else folder.root / template)


def _noted(dialogues: Iterable[Dialogue], seen: set[str]) -> Iterator[Dialogue]:
    for dialogue in dialogues:
        seen.add(dialogue.id)
        yield dialogue
