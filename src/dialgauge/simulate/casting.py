"""Which users meet the systems: those that are asked for, else those that the systems of the study met before."""

import json
from dataclasses import dataclass, fields

from dialgauge.io.store.engine import AbsentStoreError
from dialgauge.io.study import StudyFolder
from dialgauge.simulate.personas import N_PERSONAS


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Personas (a number or names), preferences of each, the pool they are dealt from, dialogues of each combination.

    None is what nobody asked for.
    """

    personas: str | None = None
    preferences: int | None = None
    pool: int | None = None
    replicates: int | None = None


AT_FIRST = Cast(personas=str(N_PERSONAS), preferences=4, pool=16, replicates=1)
"""In a study without dialogues."""


def find_cast(asked: Cast, folder: StudyFolder | None) -> Cast:
    """Return ``asked`` with what it leaves open as it was in the last simulation of the study, else as `AT_FIRST`."""
    before = (_read_last(folder) if folder is not None else None) or AT_FIRST
    whole = {field.name: getattr(asked, field.name) for field in fields(Cast)}
    return Cast(**{name: getattr(before, name) if value is None else value for name, value in whole.items()})


def _read_last(folder: StudyFolder) -> Cast | None:
    try:
        with folder.open_store() as store:
            configs = [json.loads(config).get("simulate", {}) for config in store.runs()["config"]]
    except AbsentStoreError:
        return None
    casts = [config["cast"] for config in configs if "cast" in config]
    return Cast(**casts[-1]) if casts else None
