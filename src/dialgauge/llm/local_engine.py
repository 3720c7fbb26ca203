"""llama.cpp inside the process, spoken to in the form of the OpenAI-compatible chat endpoint.

A body of that endpoint goes in, the body of its answer comes out; what cannot be done is an error body, as such an
endpoint would send it. `LocalModel` and `serve` both stand on this, so that their answers agree.
"""

import importlib
import json
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from dialgauge.errors import ModelError, how_to_install
from dialgauge.llm.weights import WEIGHTS, hash_file, path_of

Body = dict[str, Any]

NOT_OFFERED = ("tools", "functions", "audio")
"""What other endpoints offer and this one does not."""

PLAIN_SAMPLING: Body = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "cache_prompt": False}
"""The model's own distribution. A prompt is not taken from the cache, because sums in another order can change it."""

COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""JSON in one line, so that no tokens are spent on blanks, and a value stands right after the blank behind its key."""

NO_JSON = "~"
"""A character that begins no JSON value."""

SEEDS = 2**32 - 1
"""Seeds of llama.cpp lie below this; the last stands for a random one."""


class StoppedError(Exception):
    """Whoever asked does not wait any more."""


class Engine:
    """A loaded file of weights. Blocking; several threads may ask, ``parallel`` of them at a time are answered.

    ``context`` is the number of tokens, prompt and answer together, of each. Raises ModelError where the file or
    the extra is missing, or where llama.cpp cannot load the file.
    """

    def __init__(self, path_or_name: str | Path, *, threads: int, context: int, parallel: int) -> None:
        self.name, path = check(path_or_name, threads=threads, context=context, parallel=parallel)
        self._llama = import_llama()
        self.fingerprint = f"xllamacpp {self._llama.__version__}, sha256 {hash_file(path)[:12]}"
        self.context = context
        self._server: Any = _load(self._llama, path, threads=threads, context=context, parallel=parallel)
        self._grammars: dict[str, str | None] = {}
        self._state = threading.Condition()
        self._running = 0
        self._closed = False

    def answer(
        self, body: Mapping[str, Any], *, stopped: Callable[[], bool], hear: Callable[[Body], None] | None = None
    ) -> Body:
        """Return the body of the answer to ``body``, or one with the key ``error``.

        ``stopped`` is asked at each token; once it says yes, StoppedError is raised. ``hear`` is given each part of the
        answer as it comes, in the form of a streaming endpoint.
        """
        with self._state:
            if self._closed:
                return _error(503, "closed", "the model has been closed")
            self._running += 1
        try:
            return self._answer(body, stopped, hear)
        finally:
            with self._state:
                self._running -= 1
                self._state.notify_all()

    def close(self) -> None:
        """Stop what is being answered and let go of the memory."""
        with self._state:
            self._closed = True
            self._state.wait_for(lambda: self._running == 0)
            self._server = None

    def _answer(
        self, body: Mapping[str, Any], stopped: Callable[[], bool], hear: Callable[[Body], None] | None
    ) -> Body:
        asked = self._translate(body)
        if "error" in asked:
            return asked
        parts: list[Body] = []
        trouble: list[BaseException] = []

        def take(part: Body) -> bool:
            try:
                part = self._sign(part)
                parts.append(part)
                if hear is not None and "error" not in part:
                    hear(part)
                return self._closed or stopped()
            except Exception as error:  # noqa: BLE001 (llama.cpp would swallow it; it is raised below)
                trouble.append(error)
                return True

        try:
            self._server.handle_chat_completions(asked, take)
        except (RuntimeError, ValueError) as error:  # what the template or the parser of the body cannot take
            return _error(400, "invalid_request_error", " ".join(str(error).split()))
        if trouble:
            raise trouble[0]
        failed = next((part for part in parts if "error" in part), None)
        if failed is not None:
            return failed
        if not any("usage" in part for part in parts):
            raise StoppedError
        return _check_constrained(_join(parts), constrained=_schema_of(body.get("response_format")) is not None)

    def _sign(self, part: Body) -> Body:
        return part if "error" in part else part | {"model": self.name, "system_fingerprint": self.fingerprint}

    def _translate(self, body: Mapping[str, Any]) -> Body:
        """Return what llama.cpp is asked, or an error body."""
        unknown = [key for key in NOT_OFFERED if body.get(key)]
        if unknown or body.get("n") not in (None, 1):
            what = unknown[0] if unknown else "n"
            return _error(400, "invalid_request_error", f"{what!r} is not supported: one answer in text at a time")
        asked = PLAIN_SAMPLING | {key: value for key, value in body.items() if value is not None}
        asked |= {"stream": True, "stream_options": {"include_usage": True}}
        if "max_tokens" not in asked and "max_completion_tokens" in asked:
            asked["max_tokens"] = asked.pop("max_completion_tokens")
        if isinstance(asked.get("seed"), int):
            asked["seed"] %= SEEDS
        schema = _schema_of(asked.get("response_format"))
        if schema is None:
            return asked
        del asked["response_format"]
        grammar = self._find_grammar(schema)
        if grammar is None:
            return _error(400, "invalid_request_error", "llama.cpp cannot hold answers to this JSON schema")
        return asked | {"grammar": grammar}

    def _find_grammar(self, schema: Mapping[str, Any]) -> str | None:
        """Return the grammar of a schema, None where llama.cpp would not hold answers to it.

        It ignores a grammar that it cannot read. So each is tried once: a token that begins no JSON is made all but
        certain, and must not come.
        """
        text = json.dumps({"x-guidance": COMPACT} | dict(schema))
        if text not in self._grammars:
            try:
                grammar = self._llama.json_schema_to_grammar(text)
            except (RuntimeError, ValueError):
                grammar = None
            self._grammars[text] = grammar if grammar and self._holds(grammar) else None
        return self._grammars[text]

    def _holds(self, grammar: str) -> bool:
        body = {"prompt": NO_JSON, "logit_bias": [[NO_JSON, 1000]], "max_tokens": 1, "temperature": 0}
        free, held = (self._server.handle_completions(body | more) for more in ({}, {"grammar": grammar}))
        if "error" in free or "error" in held:
            return False
        return str(free["choices"][0]["text"]) == NO_JSON != str(held["choices"][0]["text"])


def check(path_or_name: str | Path, *, threads: int, context: int, parallel: int) -> tuple[str, Path]:
    """Return the name and the path of a model; raise ModelError where it or a setting cannot be used."""
    for what, value in (("threads", threads), ("context", context), ("parallel", parallel)):
        if value < 1:
            raise ModelError(f"a local model cannot have {what}={value}; give 1 or more")
    path = path_of(path_or_name)
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}); give the path of a GGUF file") from None
    if magic != b"GGUF":
        raise ModelError(f"{path} does not hold weights in the GGUF format; give the path of a GGUF file")
    return str(path_or_name) if str(path_or_name) in WEIGHTS else path.stem, path


def import_llama() -> ModuleType:
    """Return the package with llama.cpp; raise ModelError where the extra is not installed."""
    try:
        return importlib.import_module("xllamacpp")
    except ImportError:
        raise ModelError(f"local models need an extra; run: {how_to_install('local')}") from None


def _load(llama: ModuleType, path: Path, *, threads: int, context: int, parallel: int) -> Any:  # noqa: ANN401 (untyped)
    """Load a file. llama.cpp also opens a port on loopback, which nobody needs: it is locked with a key not told."""
    params = llama.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel = context * parallel, parallel
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = 0  # errors are in the answers; where loading fails, ours says so
    params.fit_params, params.cache_ram_mib, params.n_threads_http = False, 0, 1
    params.hostnames, params.port, params.ui, params.endpoint_slots = ["127.0.0.1"], 0, False, False
    params.api_keys, params.cors_origins = [secrets.token_hex(32)], "null"
    try:
        return llama.Server(params)
    except RuntimeError:
        raise ModelError(
            f"llama.cpp cannot load {path}; see that the file is whole, of a kind of model that it knows, "
            f"and fits into memory with a context of {parallel} × {context} tokens"
        ) from None


def _schema_of(form: object) -> Mapping[str, Any] | None:
    """Return the JSON schema that a ``response_format`` asks for."""
    if not isinstance(form, Mapping):
        return None
    inner = form.get("json_schema") if form.get("type") == "json_schema" else form
    schema = inner.get("schema") if isinstance(inner, Mapping) else None
    if schema is None and form.get("type") == "json_object":
        return {"type": "object"}
    return schema if isinstance(schema, Mapping) else None


def _join(parts: Iterable[Body]) -> Body:
    """Return the answer whose parts a streaming endpoint would send."""
    message: Body = {"role": "assistant", "content": ""}
    tokens: list[Body] = []
    whole: Body = {}
    finish = None
    for part in parts:
        whole |= {key: value for key, value in part.items() if key != "choices"}
        for choice in part["choices"]:
            delta = choice.get("delta", {})
            for key in ("content", "reasoning_content"):
                if delta.get(key):
                    message[key] = message.get(key, "") + delta[key]
            tokens += (choice.get("logprobs") or {}).get("content") or []
            finish = choice.get("finish_reason") or finish
    choice = {"index": 0, "message": message, "finish_reason": finish}
    if tokens:
        choice["logprobs"] = {"content": tokens}
    return whole | {"object": "chat.completion", "choices": [choice]}


def _check_constrained(answer: Body, *, constrained: bool) -> Body:
    """Return the answer, or an error where one that ended by itself should be JSON and is not."""
    choice = answer["choices"][0]
    if constrained and choice["finish_reason"] == "stop":
        try:
            json.loads(choice["message"]["content"])
        except ValueError:
            return _error(500, "server_error", "llama.cpp let go of the grammar; the answer is not JSON")
    return answer


def _error(code: int, kind: str, message: str) -> Body:
    return {"error": {"code": code, "type": kind, "message": message}}
