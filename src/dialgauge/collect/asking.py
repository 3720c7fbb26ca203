"""What is sent to a model for one task."""

from collections.abc import Mapping
from pathlib import Path

from dialgauge.collect.expected import TOP
from dialgauge.collect.forms import Form, answer_schema
from dialgauge.collect.prompt import Prompt, Renderer
from dialgauge.collect.recordings import read_recording
from dialgauge.collect.tasks import Task, seed_of
from dialgauge.llm import Audio, Message, Request
from dialgauge.model import LlmRater

CODE_TOKENS = 4
"""Tokens at most of a one-character answer."""


class Asker:
    """Makes the requests of one rater: template, dimensions, settings and seeds."""

    def __init__(
        self, rater: LlmRater, forms: Mapping[str, Form], prompt: Prompt, *, root: Path = Path(), seed: int = 1
    ) -> None:
        self.rater, self.forms = rater, forms
        self.expected = rater.scoring == "expected"
        self.max_tokens = CODE_TOKENS if self.expected else rater.max_tokens
        self._root, self._seed = root, seed
        free = rater.answers == "free"
        self._renderer = Renderer(prompt, free=free, rationale=rater.rationale, audio=rater.audio)
        self._constrained = not free and not self.expected

    def forms_of(self, task: Task) -> tuple[Form, ...]:
        """Return the forms of the dimensions of ``task``, in its order."""
        return tuple(self.forms[name] for name in task.dimensions)

    def request(self, task: Task, ask: int = 0) -> Request:
        """Return the request for ``task``; ``ask`` counts further asks after answers that could not be read."""
        rater, forms = self.rater, self.forms_of(task)
        system, user = self._renderer.render(forms, task.dialogue)
        parts: tuple[str | Audio, ...] = (user, read_recording(task.dialogue, self._root)) if rater.audio else (user,)
        return Request(
            messages=(Message("system", (system,)), Message("user", parts)),
            temperature=rater.temperature,
            top_p=rater.top_p,
            seed=seed_of(self._seed, rater.name, task, ask) if rater.send_seed else None,
            max_tokens=self.max_tokens,
            schema=answer_schema(forms, rationale=rater.rationale) if self._constrained else None,
            top_logprobs=TOP if self.expected else 0,
        )
