"""Open a study for collecting: its folder, its store, and in the store what the folder says now."""

from dialgauge.collect.prompt import Prompt
from dialgauge.io.dialogues import iter_dialogues
from dialgauge.io.store import Store
from dialgauge.io.study import StudyFolder


def register_study(folder: StudyFolder, store: Store) -> None:
    """Bring instrument, raters, prompt and targets of ``folder`` into ``store``.

    Raises StudyError and StoreError where something is not as it was under the same name.
    """
    store.register(folder.study, folder.instrument, measures=folder.measures, template=prompt_of(folder).text)
    store.add_targets(iter_dialogues(folder.targets_path))


def prompt_of(folder: StudyFolder) -> Prompt:
    """Return the template of the study: its own, or the one that ships with Dialgauge."""
    template = folder.study.prompt.template
    return Prompt.read(None if template is None else folder.root / template)
