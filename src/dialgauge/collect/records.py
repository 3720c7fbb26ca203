"""What is written down of a call: the attempt as sent and received, and the ratings that were read out of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.collect.asking import Asker
from dialgauge.collect.expected import expected_score
from dialgauge.collect.parse import Reading, read_completion
from dialgauge.collect.tasks import Task
from dialgauge.collect.writer import Item
from dialgauge.llm import CallFailedError, Completion
from dialgauge.llm.meter import MeteredCall
from dialgauge.model import Attempt, Rating


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call that was made: for which task, the how-manieth, and what it used."""

    asker: Asker
    task: Task
    number: int
    made: MeteredCall
    occasion: int = 0

    def failed(self, failure: CallFailedError) -> Item:
        """Return the attempt of a call that brought no completion. It makes no rating: it may be tried again."""
        return self._attempt(
            state=failure.reason,
            seconds=failure.seconds,
            request=failure.sent,
            answer=failure.received,
            status=failure.status,
            error=str(failure),
        ), ()

    def answered(self, completion: Completion) -> tuple[Attempt, tuple[Rating, ...]]:
        """Return the attempt and its ratings, one for each dimension of the task.

        Where the reader itself breaks on an answer, the ratings are "unparsed" and the attempt keeps the error.
        """
        readings: Sequence[Reading]
        error = None
        try:
            readings, mass = self._read(completion)
        except Exception as failure:  # noqa: BLE001 (whatever an answer does to its reader, only this one is lost)
            readings, mass = tuple(Reading(None, "unparsed") for _ in self.task.dimensions), None
            error = f"the answer could not be read ({type(failure).__name__}: {failure})"
        ratings = tuple(
            Rating(
                target=self.task.dialogue.id,
                dimension=name,
                rater=self.asker.rater.name,
                replicate=self.task.replicate,
                value=reading.value,
                missing=reading.missing,
                text=reading.text,
                rationale=reading.rationale,
                mass=mass,
                expected=self.asker.expected,
                occasion=self.occasion,
            )
            for name, reading in zip(self.task.dimensions, readings, strict=True)
        )
        attempt = self._attempt(
            state=_state(readings),
            seconds=completion.seconds,
            request=completion.sent,
            answer=completion.received,
            status=completion.status,
            finish_reason=completion.finish_reason,
            model=completion.model,
            fingerprint=completion.fingerprint,
            error=error,
        )
        return attempt, ratings

    def _read(self, completion: Completion) -> tuple[Sequence[Reading], float | None]:
        forms = self.asker.forms_of(self.task)
        readings = read_completion(
            completion.text, forms, refusal=completion.refusal, finish_reason=completion.finish_reason
        )
        if not self.asker.expected or readings[0].missing == "refused":
            return readings, None
        reading, mass = expected_score(completion.text, completion.tokens, forms[0])
        return (reading,), mass

    def _attempt(self, *, state: str, seconds: float, request: str, **known: object) -> Attempt:
        return Attempt(
            rater=self.asker.rater.name,
            target=self.task.dialogue.id,
            dimensions=self.task.dimensions,
            replicate=self.task.replicate,
            number=self.number,
            started=self.made.started,
            seconds=seconds,
            state=state,
            request=request,
            input_tokens=self.made.outcome.input_tokens,
            output_tokens=self.made.outcome.output_tokens,
            cost=self.made.cost,
            reckoned_tokens=self.made.uncounted_tokens,
            reckoned_cost=self.made.reckoned_cost,
            **known,  # type: ignore[arg-type]
        )


def _state(readings: Sequence[Reading]) -> str:
    """Return "ok", the reason that all dimensions share, or "partial"."""
    states = {reading.missing or "ok" for reading in readings}
    return states.pop() if len(states) == 1 else "partial"
