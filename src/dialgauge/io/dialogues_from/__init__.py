"""Dialogues out of the files of other projects."""

from dialgauge.io.dialogues_from.reading import read_any_dialogues, read_foreign_dialogues
from dialgauge.io.dialogues_from.records import FoundDialogues

__all__ = ["FoundDialogues", "read_any_dialogues", "read_foreign_dialogues"]
