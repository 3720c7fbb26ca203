"""A language model that is none, for conversations: it picks from the titles that it is given."""

import json

from dialgauge.llm import Completion, Request
from dialgauge.llm.wire import write_body
from dialgauge.seeding import child_rng

MARK = "- "
"""How a line of a prompt begins that holds a title; what follows a colon is on the item."""

_WITH = ("You might enjoy {title}.", "I would suggest {title}.", "Perhaps {title}?")
_WITHOUT = (
    "What kind of thing do you like?",
    "Tell me more about what you are looking for.",
    "What did you enjoy last?",
)


class FakeWriter:
    """A `Model` that recommends the first title in its instructions, in one of a few sentences.

    Without a title there it asks what is wanted. The same request with the same seed has the same answer.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    async def complete(self, request: Request) -> Completion:
        """Return the answer to ``request``."""
        sent = write_body(request, "fake")
        told = "\n".join(message.text for message in request.messages if message.role == "system")
        title = next(
            (line[len(MARK) :].partition(": ")[0] for line in told.splitlines() if line.startswith(MARK)), None
        )
        rng = child_rng(self._seed, "writer", sent)
        wordings = _WITHOUT if title is None else _WITH
        text = wordings[int(rng.integers(len(wordings)))].format(title=title)
        return Completion(text=text, sent=sent, received=json.dumps({"text": text}), seconds=0.0, model="fake")

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
