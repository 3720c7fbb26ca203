"""Simulated dialogues in the store: written whole or not at all, with the dialogue as a target for raters."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter

from dialgauge.errors import StoreError
from dialgauge.io.store.engine import begin
from dialgauge.io.store.records import Spent, digest, to_canonical
from dialgauge.io.store.registering import check_name, in_batches, register_prompt, register_targets
from dialgauge.io.store.simulated_tables import calls, pairs, simulations, simulators, turns
from dialgauge.io.store.spending import sum_spent_on_users
from dialgauge.io.store.tables import Row
from dialgauge.io.words import clip, shorten
from dialgauge.model import Dialogue
from dialgauge.model.simulated import Persona, Preference, SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.model.simulation import Notice, ParaphrasePair, Simulation, UserCall

SimulationKey = tuple[str, str, str, int]
"""System, persona, preference and replicate: one simulated dialogue of a study."""

PAGE = 100
"""Dialogues that are in memory at a time while all are read."""

_REPLY: TypeAdapter[SystemTurn] = TypeAdapter(SystemTurn)
_NOTICES: TypeAdapter[tuple[Notice, ...]] = TypeAdapter(tuple[Notice, ...])
_SAID = ("text", "feeling", "accepting", "accepts", "accepts_title")
_REPLIED = ("text", "recommends", "failure", "seconds")
_EMPTY: Row = dict.fromkeys((*_SAID, *_REPLIED, "ranking"))


class SimulationTables:
    """The simulated dialogues of one store; its property ``simulated``."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def register(self, users: str, settings: Mapping[str, object], template: str | None = None) -> str:
        """Keep who simulates the users and how, and return its hash; StoreError where it is not as it was.

        ``settings`` are JSON types: all that makes two dialogues of one key the same. ``template`` is the text of the
        prompts.
        """
        content = to_canonical(dict(settings))
        with begin(self._engine, write=True) as connection:
            prompt_hash = None if template is None else register_prompt(connection, template)
            key = digest(to_canonical([users, content, prompt_hash]))
            known = connection.execute(sa.select(simulators)).mappings().all()
            if all(row["hash"] != key for row in known):
                row = {"hash": key, "users": users, "settings": content, "prompt_hash": prompt_hash}
                if known:
                    raise StoreError(
                        f"the dialogues of this study were simulated in another way ({_differences(known[-1], row)}); "
                        "take the change back, or simulate in a study of its own"
                    )
                connection.execute(sa.insert(simulators), row)
        return key

    @property
    def catalogues(self) -> frozenset[str]:
        """The hashes of the catalogues that dialogues were simulated with, as far as their settings tell them."""
        with begin(self._engine) as connection:
            settings = [json.loads(row[0]) for row in connection.execute(sa.select(simulators.c.settings))]
        return frozenset(str(each["catalogue"]) for each in settings if "catalogue" in each)

    def done(self) -> set[SimulationKey]:
        """Return the keys of all dialogues that are there."""
        columns = [simulations.c[name] for name in ("system", "persona", "preference", "replicate")]
        with begin(self._engine) as connection:
            return {(row[0], row[1], row[2], row[3]) for row in connection.execute(sa.select(*columns))}

    def write(self, run: int, simulator: str, given: Sequence[Simulation]) -> None:
        """Write dialogues in one transaction; those with a proper reply become targets for raters.

        Once it returns they survive a crash. Raises StoreError where one of the keys is there: nothing of ``given`` is
        written then.
        """
        for simulation in given:
            system, persona, preference, _ = _key(simulation)
            for what, name in (("system", system), ("persona", persona), ("preference", preference)):
                check_name(name, what)
        with begin(self._engine, write=True) as connection:
            self._refuse_known(connection, given)
            register_targets(connection, filter(None, map(to_target, given)), "study")
            first = (connection.scalar(sa.select(sa.func.max(simulations.c.id))) or 0) + 1
            rows: dict[sa.Table, list[Row]] = {simulations: [], turns: [], calls: [], pairs: []}
            for number, simulation in enumerate(given, start=first):
                rows[simulations].append({"id": number, "run": run, "simulator": simulator, **_to_row(simulation)})
                rows[turns] += _number(number, map(_turn_row, simulation.dialogue.turns))
                rows[calls] += [{"run": run, "simulation": number, **_call_row(call)} for call in simulation.calls]
                rows[pairs] += [{"simulation": number, **_pair_row(pair)} for pair in simulation.pairs]
            for table, content in rows.items():
                if content:
                    connection.execute(sa.insert(table), content)

    def write_calls(self, run: int, given: Sequence[UserCall]) -> None:
        """Write calls of a dialogue that broke off at the user's side: it is not kept, what it cost is."""
        if given:
            with begin(self._engine, write=True) as connection:
                rows = [{"run": run, "simulation": None, **_call_row(call)} for call in given]
                connection.execute(sa.insert(calls), rows)

    def __iter__(self) -> Iterator[Simulation]:
        last = 0
        query = sa.select(simulations, simulators.c.users).join(simulators).order_by(simulations.c.id).limit(PAGE)
        while True:
            with begin(self._engine) as connection:
                rows = connection.execute(query.where(simulations.c.id > last)).mappings().all()
                ids = [row["id"] for row in rows]
                parts = {table: _read_parts(connection, table, ids) for table in (turns, calls, pairs)}
            if not rows:
                return
            for row in rows:
                last = row["id"]
                yield _to_simulation(row, *(parts[table].get(last, []) for table in (turns, calls, pairs)))

    def counts(self) -> dict[str, dict[str, int]]:
        """Return for each system how many of its dialogues ended in which way."""
        query = sa.select(simulations.c.system, simulations.c.ended, sa.func.count())
        query = query.group_by(simulations.c.system, simulations.c.ended).order_by(simulations.c.system)
        found: dict[str, dict[str, int]] = {}
        with begin(self._engine) as connection:
            for system, ended, n in connection.execute(query):
                found.setdefault(system, {})[ended] = n
        return found

    def spent(self) -> Spent:
        """Return what all calls of language models by simulated users have used so far."""
        with begin(self._engine) as connection:
            return sum_spent_on_users(connection)

    def _refuse_known(self, connection: sa.Connection, given: Sequence[Simulation]) -> None:
        columns = [simulations.c[name] for name in ("system", "persona", "preference", "replicate")]
        keys = [_key(simulation) for simulation in given]
        for batch in in_batches(keys):
            found = connection.execute(sa.select(*columns).where(sa.tuple_(*columns).in_(batch))).first()
            if found is not None or len({*keys}) < len(keys):
                system, persona, preference, replicate = found or keys[0]
                raise StoreError(
                    f"the dialogue of {clip(system)!r} with {persona!r} who wants {clip(preference)!r}, replicate "
                    f"{replicate}, is in the store; a dialogue is never changed: give it another replicate number"
                )


def to_target(simulation: Simulation) -> Dialogue | None:
    """Return the dialogue as raters see it, with its system; None where the system gave no proper reply at all."""
    dialogue = simulation.dialogue
    if not any(turn.failure is None for turn in dialogue.system_turns):
        return None
    return dialogue.dialogue


def _key(simulation: Simulation) -> SimulationKey:
    dialogue = simulation.dialogue
    return dialogue.system, dialogue.persona.id, dialogue.preference.id, simulation.replicate


def _to_row(simulation: Simulation) -> Row:
    dialogue = simulation.dialogue
    system, persona, preference, replicate = _key(simulation)
    return {
        "dialogue": dialogue.id,
        "system": system,
        "persona": persona,
        "preference": preference,
        "replicate": replicate,
        "who": to_canonical(dialogue.persona.model_dump(mode="json")),
        "wants": to_canonical(dialogue.preference.model_dump(mode="json")),
        "targets": to_canonical(dialogue.targets),
        "ended": dialogue.ended,
        "failure": dialogue.failure,
        "notices": to_canonical(_NOTICES.dump_python(simulation.notices, mode="json")),
        "seed": simulation.seed,
        "started": simulation.started,
        "seconds": simulation.seconds,
    }


def _number(simulation: int, rows: Iterable[Row]) -> list[Row]:
    return [{"simulation": simulation, "number": number, **row} for number, row in enumerate(rows, start=1)]


def _turn_row(turn: UserTurn | SystemTurn) -> Row:
    if isinstance(turn, UserTurn):
        return {**_EMPTY, "speaker": "user", **{name: getattr(turn, name) for name in _SAID}}
    said = {name: getattr(turn, name) for name in _REPLIED}
    return {**_EMPTY, "speaker": "system", **said, "ranking": to_canonical(turn.ranking)}


def _call_row(call: UserCall) -> Row:
    return {name: getattr(call, name) for name in UserCall.__slots__}


def _pair_row(pair: ParaphrasePair) -> Row:
    replies = {name: to_canonical(_REPLY.dump_python(getattr(pair, name), mode="json")) for name in ("first", "second")}
    return {"turn": pair.turn, "wording": pair.wording, "paraphrase": pair.paraphrase, **replies}


def _read_parts(connection: sa.Connection, table: sa.Table, ids: Sequence[int]) -> dict[int, list[sa.RowMapping]]:
    found: dict[int, list[sa.RowMapping]] = {}
    query = sa.select(table).where(table.c.simulation.in_(ids)).order_by(*table.primary_key.columns)
    for row in connection.execute(query).mappings():
        found.setdefault(row["simulation"], []).append(row)
    return found


def _to_simulation(
    row: sa.RowMapping, said: Sequence[sa.RowMapping], called: Sequence[sa.RowMapping], paired: Sequence[sa.RowMapping]
) -> Simulation:
    dialogue = SimulatedDialogue(
        id=row["dialogue"],
        system=row["system"],
        persona=Persona.model_validate_json(row["who"]),
        preference=Preference.model_validate_json(row["wants"]),
        targets=tuple(json.loads(row["targets"])),
        turns=tuple(map(_to_turn, said)),
        ended=row["ended"],
        failure=row["failure"],
    )
    return Simulation(
        dialogue=dialogue,
        users=row["users"],
        replicate=row["replicate"],
        seed=row["seed"],
        started=row["started"],
        seconds=row["seconds"],
        notices=_NOTICES.validate_json(row["notices"]),
        pairs=tuple(_to_pair(pair) for pair in paired),
        calls=tuple(UserCall(**{name: call[name] for name in UserCall.__slots__}) for call in called),
    )


def _to_turn(row: sa.RowMapping) -> UserTurn | SystemTurn:
    if row["speaker"] == "user":
        return UserTurn(**{name: row[name] for name in _SAID})
    return SystemTurn(**{name: row[name] for name in _REPLIED}, ranking=tuple(json.loads(row["ranking"])))


def _to_pair(row: sa.RowMapping) -> ParaphrasePair:
    replies = {name: _REPLY.validate_json(row[name]) for name in ("first", "second")}
    return ParaphrasePair(turn=row["turn"], wording=row["wording"], paraphrase=row["paraphrase"], **replies)


def _differences(old: Mapping[Any, Any], new: Row) -> str:
    names = ["users"] if old["users"] != new["users"] else []
    names += ["prompts"] if old["prompt_hash"] != new["prompt_hash"] else []
    before, after = json.loads(old["settings"]), json.loads(new["settings"])
    names += [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    return shorten(names)
