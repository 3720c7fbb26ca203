"""From what is written on the command line to users, systems and a study that can hold their dialogues."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from dialgauge.errors import InputError, ModelError, StudyError
from dialgauge.io.store import Spent, Store
from dialgauge.io.study import FILE, STORE, StudyFolder, init_study, read_study
from dialgauge.io.words import clip
from dialgauge.model import LlmRater, Price, Study
from dialgauge.model.item import Catalogue, Fit
from dialgauge.simulate.agenda import NAME, AgendaUsers
from dialgauge.simulate.calling import Caller, UserPurse
from dialgauge.simulate.hearing import Listener
from dialgauge.simulate.llm_user import ModelUsers
from dialgauge.simulate.users import Users
from dialgauge.systems import System
from dialgauge.systems.models import FORMS, open_model, runs_here
from dialgauge.systems.opening import open_system

INSTRUMENT = "concept"
"""Of a study that is begun for simulated dialogues."""

CALLS_PER_TURN = 2
"""Calls of a model user for each of its turns but the first: feeling and answer."""


def begin_or_read(path: str | Path) -> tuple[StudyFolder, tuple[Path, ...]]:
    """Return the study in a folder, begun without dialogues where there is none, and the files that were made.

    The database is made by whoever opens it. Raises what `read_study` and `init_study` raise.
    """
    root = Path(path)
    made: tuple[Path, ...] = ()
    if root.suffix != ".toml" and not (root / FILE).exists() and not (root / STORE).exists():
        made = init_study(root, instrument=INSTRUMENT, examples=False)
    return read_study(root), made


def name_systems(specs: Sequence[str]) -> dict[str, str]:
    """Return the specs of systems by their names; each is written ``SPEC`` or ``NAME=SPEC``.

    Raises InputError where two have one name.
    """
    found: dict[str, str] = {}
    for name, spec in map(_split_name, specs):
        if name in found:
            raise InputError(f"the system {clip(name)!r} is named twice; write NAME=SPEC to give each its own name")
        found[name] = spec
    return found


def open_systems(
    named: Mapping[str, str], catalogue: Catalogue, *, folder: Path, timeout: float, seed: int, parallel: int
) -> list[System]:
    """Return the systems of the names and specs in ``named``.

    Modules are looked for in ``folder`` where it has one of that name, else in the current folder. Raises what
    `open_system` raises.
    """
    return [
        open_system(
            spec,
            catalogue,
            name=name,
            folder=folder if _has_module(folder, spec) else None,
            timeout=timeout,
            seed=seed,
            parallel=parallel,
        )
        for name, spec in named.items()
    ]


def check_systems(named: Mapping[str, str], store: Store) -> None:
    """Raise StudyError where a name stood for another system when dialogues were simulated before."""
    for config in store.runs()["config"]:
        earlier = json.loads(config).get("simulate", {}).get("systems", {})
        for name, spec in named.items():
            if earlier.get(name, spec) != spec:
                raise StudyError(
                    f"the system {clip(name)!r} was {clip(earlier[name])!r} when its dialogues were simulated, and is "
                    f"{clip(spec)!r} now; give the other one a name of its own, as in NAME=SPEC"
                )


def open_users(spec: str, study: Study, catalogue: Catalogue, *, fit: Fit, spent: Spent) -> Users:
    """Return the users that ``spec`` names: ``agenda``, an LLM rater of ``study``, or a model as for systems.

    Users played by a model keep to the budget of the study, of which ``spent`` is gone. Raises ModelError where there
    is no such model, StudyError where the budget cannot be kept.
    """
    if spec == NAME:
        return AgendaUsers(fit)
    rater = next((one for one in study.raters if isinstance(one, LlmRater) and one.name == spec), None)
    model_spec = spec if rater is None else _spec_of(rater)
    if model_spec == "fake":
        raise ModelError(
            f"the fake model cannot play a user; give --users {NAME}, or one of {FORMS.partition(' or')[0]}"
        )
    here = runs_here(model_spec)
    price = rater.price if rater is not None and rater.price else Price(input=0.0, output=0.0) if here else None
    purse = UserPurse(study.budget, price, cost=spent.charged_cost, tokens=spent.charged_tokens)
    limits = study.limits
    width = (rater.concurrency if rater else None) or (1 if here else limits.concurrency)
    key_env = rater.key_env if rater else None
    model = open_model(model_spec, timeout=limits.timeout, key_env=key_env, parallel=width)
    purse.check(spec)
    sampling = _sampling(rater)
    return ModelUsers(
        spec,
        Caller(model, purse, limits, width),
        Listener(catalogue),
        settings={"model": model_spec, **sampling},
        temperature=float(sampling["temperature"]),
        max_tokens=int(sampling["max_tokens"]),
        send_seed=rater.send_seed if rater else True,
    )


def _sampling(rater: LlmRater | None) -> Mapping[str, float]:
    if rater is None:
        return {"temperature": 1.0, "max_tokens": 300}
    return {"temperature": rater.temperature, "max_tokens": rater.max_tokens}


def _spec_of(rater: LlmRater) -> str:
    """Return the model of a rater of study.toml as it is written for systems and users."""
    if rater.endpoint in {"local", "vendor"}:
        return f"{rater.endpoint}:{rater.model}"
    return "fake" if rater.endpoint == "fake" else f"{rater.endpoint}#{rater.model}"


def _has_module(folder: Path, spec: str) -> bool:
    module = spec.partition(":")[0].partition(".")[0]
    return (folder / f"{module}.py").exists() or (folder / module / "__init__.py").exists()


def _split_name(spec: str) -> tuple[str, str]:
    """Split ``NAME=SPEC``; an address may have = in it, a name has neither : nor /."""
    name, found, rest = spec.partition("=")
    if found and name.strip() and rest and not {":", "/"} & {*name}:
        return name.strip(), rest
    return spec, spec
