"""The dialogues that a study begins with, out of a file of any known form."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dialgauge.io.dialogues import iter_dialogues
from dialgauge.io.dialogues_from import FoundDialogues, read_foreign_dialogues
from dialgauge.io.people_ratings import write_people
from dialgauge.model import Dialogue


@dataclass(frozen=True, slots=True)
class GivenTargets:
    """Dialogues for a study: a file in our own form, which is read one by one, or what was found in another."""

    source: Path | FoundDialogues

    @classmethod
    def of(cls, given: str | Path | FoundDialogues) -> "GivenTargets":
        """Take a file of dialogues in any known form, or what was found in one; StudyError for another file."""
        if isinstance(given, FoundDialogues):
            return cls(given)
        found = read_foreign_dialogues(given)
        return cls(Path(given) if found is None else found)

    @property
    def people(self) -> Mapping[str, str]:
        """The texts of the files that keep ratings by people, where some came with the dialogues."""
        ratings = self.source.ratings if isinstance(self.source, FoundDialogues) else None
        return {} if ratings is None else write_people(ratings)

    def dialogues(self) -> Iterator[Dialogue]:
        """Yield the dialogues, each with its system where that is known."""
        if isinstance(self.source, Path):
            yield from iter_dialogues(self.source)
            return
        for dialogue in self.source:
            system = self.source.systems.get(dialogue.id)
            yield dialogue if system is None else dialogue.model_copy(update={"system": system})

    def check(self) -> None:
        """Raise StudyError for what is wrong with them, before anything is written."""
        deque(self.dialogues(), maxlen=0)
