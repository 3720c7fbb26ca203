"""A language model as the simulated user: it feels first, then answers, and says itself whether it accepts.

The prompts (`data/user.txt`) are our own. The dialogue is fenced off as data: each turn is a JSON string, so that no
text can end its own quotation, and the fence bears a code made from the dialogue, so that no text can forge it. An
answer is read as a closed set; what cannot be read is asked for once more, and then ends the dialogue as a failure.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from typing import Any

from dialgauge.llm import Message, Request
from dialgauge.model import Turn
from dialgauge.model.simulated import Persona, Preference, UserTurn
from dialgauge.model.simulation import Step, UserCall
from dialgauge.simulate.calling import Caller
from dialgauge.simulate.hearing import Heard, Listener
from dialgauge.simulate.users import Answer, User, UserFailedError

ASKS = 2
"""How often an answer is asked for that cannot be read."""

LONGEST_TURN = 4_000
"""Characters of what a user says or feels."""

LONGEST_QUOTED = 4_000
"""Characters of a system's turn that are put before the model; the rest is cut, and that is said there."""

GO_ON, ACCEPT, LEAVE = "go on", "accept", "leave"

_Fields = Mapping[str, Any]


class ModelUsers:
    """Begins users that a language model plays."""

    def __init__(
        self,
        name: str,
        caller: Caller,
        listener: Listener,
        *,
        settings: Mapping[str, object],
        temperature: float = 1.0,
        max_tokens: int = 300,
        send_seed: bool = True,
    ) -> None:
        self.name, self.settings = name, settings
        self.template: str | None = _prompts()
        self._sections = _split(_prompts())
        self._caller, self._listener = caller, listener
        self._sampling = Request(messages=(), temperature=temperature, max_tokens=max_tokens)
        self._send_seed = send_seed

    def begin(self, persona: Persona, preference: Preference, *, seed: int) -> User:
        """Begin a user for one dialogue."""
        return ModelUser(
            persona,
            preference,
            caller=self._caller,
            listener=self._listener,
            sections=self._sections,
            sampling=replace(self._sampling, seed=seed if self._send_seed else None),
        )

    async def close(self) -> None:
        """Close the model."""
        await self._caller.meter.model.close()


class ModelUser:
    """One user in one dialogue."""

    def __init__(
        self,
        persona: Persona,
        preference: Preference,
        *,
        caller: Caller,
        listener: Listener,
        sections: Mapping[str, str],
        sampling: Request,
    ) -> None:
        self.calls: list[UserCall] = []
        self._persona, self._want = persona, preference.words or " and ".join(preference.attributes)
        self._caller, self._listener, self._sections, self._sampling = caller, listener, sections, sampling

    async def open(self) -> UserTurn:
        """Ask the model for the opening turn."""
        content = await self._ask("opening", (), ["reply"], user_turn=1)
        return UserTurn(text=content["reply"])

    async def feel(self, turns: Sequence[Turn], heard: Heard) -> str:  # noqa: ARG002 (the model reads for itself)
        """Ask the model what it feels about the last reply."""
        content = await self._ask("feeling", turns, ["feeling"], user_turn=_number(turns))
        return str(content["feeling"])

    async def answer(self, turns: Sequence[Turn], heard: Heard, *, feeling: str, last: bool) -> Answer:  # noqa: ARG002
        """Ask the model for its answer and its decision; what it accepts is looked up by its title."""
        decisions = [GO_ON, ACCEPT, *([LEAVE] if self._persona.patience is not None else [])]
        leaving = self._sections["leaving"] if LEAVE in decisions else ""
        leaving = leaving.format(had=_number(turns) - 1, patience=self._persona.patience)
        content = await self._ask(
            "answer",
            turns,
            ["reply", "decision", "item"],
            user_turn=_number(turns),
            decisions=decisions,
            feeling=json.dumps(feeling, ensure_ascii=False),
            leaving=leaving.rstrip(),
        )
        turn = UserTurn(text=content["reply"], feeling=feeling)
        if content["decision"] == ACCEPT:
            title = content["item"].strip()
            item = self._listener.find(title) if title else None
            turn = replace(turn, accepting=True, accepts=item.id if item else None, accepts_title=title or None)
        return Answer(turn=turn, leaving=content["decision"] == LEAVE)

    async def reword(self, turns: Sequence[Turn], number: int) -> str | None:
        """Ask the model for its last turn in other words."""
        content = await self._ask("paraphrase", turns, ["reply"], user_turn=number)
        return None if content["reply"] == turns[-1].text else str(content["reply"])

    async def _ask(
        self,
        step: Step,
        turns: Sequence[Turn],
        keys: Sequence[str],
        *,
        user_turn: int,
        decisions: Sequence[str] = (),
        **filled: str,
    ) -> _Fields:
        """Return the answer of the model, one text for each of ``keys``."""
        quoted = quote_turns(turns)
        fence = hashlib.sha256(quoted.encode()).hexdigest()[:12].upper()
        role = self._sections["role"].format(who=self._persona.words, want=self._want, fence=fence)
        choice = " or ".join(json.dumps(name) for name in decisions)
        told = self._sections[step].format(turns=quoted, fence=fence, decisions=choice, **filled)
        request = replace(
            self._sampling,
            messages=(Message("system", (role.strip(),)), Message("user", (told.strip(),))),
            schema=_schema(keys, decisions),
        )
        for _ in range(ASKS):
            seed = self._sampling.seed
            completion = await self._caller.call(
                replace(request, seed=None if seed is None else (seed + 31 * len(self.calls)) % 2**31),
                self.calls,
                user_turn=user_turn,
                step=step,
            )
            content = read_answer(completion.text, keys, decisions)
            if content is not None and completion.refusal is None:
                return content
            self.calls[-1] = replace(self.calls[-1], state="unreadable")
        msg = f"no {step} that can be read at turn {user_turn} in {ASKS} answers"
        raise UserFailedError(msg, final=True)


def quote_turns(turns: Sequence[Turn]) -> str:
    """Return the turns, each in one line that its text cannot leave."""
    speakers = {"user": "you", "system": "recommender"}
    return "\n".join(
        f"{number} {speakers.get(turn.speaker, 'recommender')}: {json.dumps(_cut(turn.text), ensure_ascii=False)}"
        for number, turn in enumerate(turns, start=1)
    )


def read_answer(text: str, keys: Sequence[str], decisions: Sequence[str] = ()) -> _Fields | None:
    """Return what ``text`` says under each of ``keys``; None where it is no such answer. Nothing is guessed.

    It is a JSON object, perhaps in a fence of Markdown; its texts are not longer than `LONGEST_TURN`, not blank but for
    the item, and the decision is one of ``decisions``.
    """
    whole = text.strip()
    if whole.startswith("```"):
        whole = whole.strip("`").removeprefix("json").strip()
    try:
        content = json.loads(whole)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    found = {key: value for key in keys if isinstance(value := content.get(key), str) and len(value) <= LONGEST_TURN}
    if len(found) < len(keys):
        return None
    if any(key != "item" and not value.strip() for key, value in found.items()):
        return None
    if decisions and found["decision"] not in decisions:
        return None
    return {key: _mend(value) for key, value in found.items()}


def _schema(keys: Sequence[str], decisions: Sequence[str]) -> Mapping[str, Any]:
    properties: dict[str, Any] = {key: {"type": "string"} for key in keys}
    if decisions:
        properties["decision"] = {"type": "string", "enum": list(decisions)}
    return {"type": "object", "properties": properties, "required": list(keys), "additionalProperties": False}


def _prompts() -> str:
    return (resources.files("dialgauge.simulate") / "data" / "user.txt").read_text(encoding="utf-8")


def _split(template: str) -> dict[str, str]:
    """Return the parts of the prompts by the names before them."""
    parts: dict[str, str] = {}
    name = ""
    for line in template.splitlines(keepends=True):
        if line.startswith("[") and line.rstrip().endswith("]"):
            name = line.strip()[1:-1]
            parts[name] = ""
        else:
            parts[name] += line
    return parts


def _number(turns: Sequence[Turn]) -> int:
    """Return the number of the user's turn that comes next."""
    return sum(turn.speaker == "user" for turn in turns) + 1


def _mend(text: str) -> str:
    """Return ``text`` without NUL and halves of surrogate pairs, which not every file or database holds."""
    return text.replace("\x00", "\u2400").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]} [cut: {len(text):,} characters in all]"
