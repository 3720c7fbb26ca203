"""A language model inside the process: a GGUF file, run by llama.cpp on the processor."""

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dialgauge.llm.local_engine import Engine, StoppedError, check, import_llama
from dialgauge.llm.protocol import Audio, CallFailedError, Completion, Request
from dialgauge.llm.wire import read_completion, write_body

CONTEXT = 4096
"""Tokens of prompt and answer together, unless said otherwise."""


class LocalModel:
    """A `Model` that runs here.

    ``path_or_name`` is a GGUF file or the name of weights that were fetched (`dialgauge.llm.weights`). ``threads``
    compute; ``parallel`` calls are answered at a time, the others wait; ``context`` is the number of tokens, prompt and
    answer together, that each of them has. The file is loaded once, at the first call. Raises ModelError where the
    file or the extra ``local`` is missing.

    Answers to a request with a schema are JSON in one line that follows it, unless ``finish_reason`` is "length". A
    setting that the request leaves open has no effect: temperature 1, no cut of the distribution, a random seed. With
    ``parallel=1``, the same request with a seed has the same answer on the same machine.

    The log-probabilities of `Completion.tokens` are the model's own: over its whole vocabulary, before temperature,
    cuts and the grammar of the schema. The most likely tokens at a place may hence be some that the schema forbids,
    and the probabilities of the answers that it allows sum to less than 1: to the mass on the scale. ``top_logprobs``
    may be any number; ask for enough that each answer is among them. Tokens are listed up to the end of the text.
    """

    def __init__(
        self, path_or_name: str | Path, *, threads: int = 1, context: int = CONTEXT, parallel: int = 1
    ) -> None:
        self.name, _ = check(path_or_name, threads=threads, context=context, parallel=parallel)
        import_llama()
        self._settings = {"threads": threads, "context": context, "parallel": parallel}
        self._source = path_or_name
        self._engine: Engine | None = None
        self._loading = threading.Lock()
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(parallel, thread_name_prefix="dialgauge-model")

    async def complete(self, request: Request) -> Completion:
        """Return the answer to ``request``.

        Raises CallFailedError where the prompt does not fit into the context, the schema cannot be held, a part is
        audio, or the model has been closed: none of them is retriable. A cancelled call stops at the next token.
        """
        sent = write_body(request, self.name)
        if any(isinstance(part, Audio) for message in request.messages for part in message.parts):
            message = f"{self.name} cannot hear; give the words as text"
            raise CallFailedError(message, sent=sent, seconds=0.0, retriable=False)
        if self._closed.is_set():
            raise _closed(self.name, sent, 0.0)
        given_up = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._answer, sent, given_up)
        finally:
            given_up.set()

    async def close(self) -> None:
        """Stop what is being answered and let go of the memory."""
        self._closed.set()
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._pool.shutdown()
        with self._loading:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def _load(self) -> Engine:
        with self._loading:
            if self._engine is None:
                self._engine = Engine(self._source, **self._settings)
            return self._engine

    def _answer(self, sent: str, given_up: threading.Event) -> Completion:
        def stopped() -> bool:
            return given_up.is_set() or self._closed.is_set()

        if stopped():
            raise _closed(self.name, sent, 0.0)
        engine = self._load()
        start = time.perf_counter()
        try:
            answer = engine.answer(json.loads(sent), stopped=stopped)
        except StoppedError:
            raise _closed(self.name, sent, time.perf_counter() - start) from None
        seconds = time.perf_counter() - start
        received = json.dumps(answer, ensure_ascii=False)
        if "error" in answer:
            raise _failure(self.name, answer["error"], sent=sent, received=received, seconds=seconds)
        return read_completion(received, sent=sent, seconds=seconds)


def _failure(name: str, error: dict[str, Any], *, sent: str, received: str, seconds: float) -> CallFailedError:
    message = f"{name} did not answer: {error['message']}"
    if error["type"] == "exceed_context_size_error":
        message = (
            f"the prompt has {error['n_prompt_tokens']:,} tokens and the context of {name} holds {error['n_ctx']:,}; "
            "shorten it, or load the model with a larger context"
        )
    return CallFailedError(
        message, sent=sent, received=received, seconds=seconds, retriable=False, status=int(error["code"])
    )


def _closed(name: str, sent: str, seconds: float) -> CallFailedError:
    return CallFailedError(f"{name} was closed before it answered", sent=sent, seconds=seconds, retriable=False)
