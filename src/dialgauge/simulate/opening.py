"""From what is written on the command line to users, systems and a study that can hold their dialogues."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from dialgauge.errors import InputError, ModelError, StudyError
from dialgauge.io.catalogues import TitleIndex
from dialgauge.io.source import hash_source
from dialgauge.io.store import Spent, Store
from dialgauge.io.study import FILE, STORE, FirstRater, StudyFolder, draft_study, init_study, read_study
from dialgauge.io.words import clip
from dialgauge.llm.meter import Meter
from dialgauge.llm.purse import Purse, Reckoner
from dialgauge.model import Budget, LlmRater, Study
from dialgauge.model.item import Catalogue, Fit
from dialgauge.model.study import price_at
from dialgauge.simulate.agenda import NAME, AgendaUsers
from dialgauge.simulate.calling import Caller
from dialgauge.simulate.hearing import Listener
from dialgauge.simulate.llm_user import ModelUsers
from dialgauge.simulate.users import Users
from dialgauge.systems import System
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.models import FORMS, open_model, runs_here
from dialgauge.systems.opening import open_system

INSTRUMENT = "concept"
"""Of a study that is begun for simulated dialogues."""

LONGEST_NAME = 200
"""Characters of the name of a system."""

CALLS_PER_TURN = 2
"""Calls of a model user for each of its turns but the first: feeling and answer."""


def find_study(path: str | Path, *, rater: FirstRater = "made-up") -> tuple[StudyFolder, bool]:
    """Return the study in a folder, or the one with the ``rater`` that `begin_study` would make, and whether it is new.

    Raises what `read_study` raises, and StudyError where a database lies there without a study.
    """
    root = Path(path)
    if root.suffix == ".toml" or (root / FILE).exists():
        return read_study(root), False
    if (root / STORE).exists():
        raise StudyError(
            f"{root} has a {STORE} and no {FILE}; put the {FILE} back that belongs to it, or give a new folder"
        )
    return draft_study(root, instrument=INSTRUMENT, rater=rater), True


def begin_study(folder: StudyFolder, *, rater: FirstRater = "made-up") -> tuple[Path, ...]:
    """Make the files of a new study without dialogues, and return them; raises what `init_study` raises."""
    return init_study(folder.root, instrument=INSTRUMENT, examples=False, rater=rater)


def name_systems(specs: Sequence[str]) -> dict[str, str]:
    """Return the specs of systems by their names; each is written ``SPEC`` or ``NAME=SPEC``.

    Raises InputError where two have one name, and for a name that nobody could read or write.
    """
    found: dict[str, str] = {}
    for name, spec in map(_split_name, specs):
        _check_name(name)
        if name in found:
            raise InputError(f"the system {clip(name)!r} is named twice; write NAME=SPEC to give each its own name")
        found[name] = spec
    return found


def open_systems(
    named: Mapping[str, str], finder: ItemFinder, *, folder: Path, timeout: float, seed: int, parallel: int
) -> list[System]:
    """Return the systems of the names and specs in ``named``, which share one ``finder``.

    Modules are looked for in ``folder`` where it has one of that name, else in the current folder. Raises what
    `open_system` raises.
    """
    return [
        open_system(
            spec,
            finder,
            name=name,
            folder=_folder_of(spec, folder),
            timeout=timeout,
            seed=seed,
            parallel=parallel,
        )
        for name, spec in named.items()
    ]


def hash_systems(named: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the hash of the source of each system in Python, as far as it is known."""
    found = {name: hash_source(spec, folder=_folder_of(spec, folder) or Path()) for name, spec in named.items()}
    return {name: source for name, source in found.items() if source is not None}


def check_systems(
    named: Mapping[str, str], store: Store, *, sources: Mapping[str, str], lacking: Collection[str]
) -> tuple[str, ...]:
    """Raise StudyError where a name stood for another system when dialogues were simulated before.

    ``sources`` has the hash of the source of systems in Python. Of those that are ``lacking`` dialogues it may not have
    changed since the last ones were simulated; the names of others that have changed are returned.
    """
    changed = []
    configs = [json.loads(config).get("simulate", {}) for config in store.runs()["config"]]
    there = store.simulated.counts()
    for config in configs:
        earlier = config.get("systems", {})
        for name, spec in named.items():
            if earlier.get(name, spec) != spec:
                raise StudyError(
                    f"the system {clip(name)!r} was {clip(earlier[name])!r} when its dialogues were simulated, and is "
                    f"{clip(spec)!r} now; give the other one a name of its own, as in NAME=SPEC"
                )
    for name, source in sources.items():
        known = [config["sources"][name] for config in configs if name in config.get("sources", {})]
        if name not in there or not known or known[-1] == source:
            continue
        if name in lacking:
            raise StudyError(
                f"what {clip(named[name])!r} consists of has changed since dialogues of the system {clip(name)!r} were "
                f"simulated; take the change back, or give it a name of its own, as in NAME=SPEC"
            )
        changed.append(name)
    return tuple(changed)


def open_users(
    spec: str,
    study: Study,
    catalogue: Catalogue,
    *,
    fit: Fit,
    spent: Spent | None = None,
    index: TitleIndex | None = None,
) -> Users:
    """Return the users that ``spec`` names: ``agenda``, an LLM rater of ``study``, or a model as for systems.

    Users played by a model keep to the budget of the study, of which ``spent`` is gone (None: nothing). ``index`` is
    that of the titles of ``catalogue``, where it is made already. Raises ModelError where there is no such model,
    StudyError where the budget cannot be kept.
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
    price = rater.known_price if rater else price_at("local" if here else model_spec)
    budget, limits = study.budget, study.limits
    width = (rater.concurrency if rater else None) or (1 if here else limits.concurrency)
    key_env = rater.key_env if rater else None
    model = open_model(model_spec, timeout=limits.timeout, key_env=key_env, parallel=width)
    budget.check(price, of=f"the user {spec!r}")
    sampling = _sampling(rater)
    meter = Meter(
        model,
        _open_purse(budget, spent),
        Reckoner(price, int(sampling["max_tokens"])),
        width=width,
        timeout=limits.timeout,
    )
    return ModelUsers(
        spec,
        Caller(meter, limits.attempts),
        Listener(catalogue, index),
        settings={"model": model_spec, **sampling},
        temperature=float(sampling["temperature"]),
        max_tokens=int(sampling["max_tokens"]),
        send_seed=rater.send_seed if rater else True,
    )


def _open_purse(budget: Budget, spent: Spent | None) -> Purse:
    if spent is None:
        return Purse(budget.cost, budget.tokens)
    return Purse(budget.cost, budget.tokens, cost=spent.charged_cost, tokens=spent.charged_tokens)


def _sampling(rater: LlmRater | None) -> Mapping[str, float]:
    if rater is None:
        return {"temperature": 1.0, "max_tokens": 300}
    return {"temperature": rater.temperature, "max_tokens": rater.max_tokens}


def _spec_of(rater: LlmRater) -> str:
    """Return the model of a rater of study.toml as it is written for systems and users."""
    if rater.endpoint in {"local", "vendor"}:
        return f"{rater.endpoint}:{rater.model}"
    return "fake" if rater.endpoint == "fake" else f"{rater.endpoint}#{rater.model}"


def _folder_of(spec: str, folder: Path) -> Path | None:
    """Return ``folder`` where it has the module of ``spec``."""
    module = spec.partition(":")[0].partition(".")[0]
    here = (folder / f"{module}.py").exists() or (folder / module / "__init__.py").exists()
    return folder if here else None


def _check_name(name: str) -> None:
    long = len(name) > LONGEST_NAME
    if long or not name.isprintable():
        what = f"has a name of {len(name):,} characters" if long else "has a sign in its name that cannot be printed"
        raise InputError(
            f"the system '{clip(name)}' {what}; give it one of {LONGEST_NAME} plain ones at most, as in NAME=SPEC"
        )


def _split_name(spec: str) -> tuple[str, str]:
    """Split ``NAME=SPEC``; an address may have = in it, a name has neither : nor /."""
    name, found, rest = spec.partition("=")
    if found and name.strip() and rest and not {":", "/"} & {*name}:
        return name.strip(), rest
    return spec, spec
