"""A model behind an OpenAI-compatible chat endpoint, over HTTP: each attempt is recorded as sent and received."""

import asyncio
import ipaddress
import json
import os
import time
from collections.abc import Collection
from typing import Literal, cast

import httpx

from dialgauge.errors import ModelError
from dialgauge.llm.connections import Connections
from dialgauge.llm.failures import is_refusal, judge_status, read_usage, tell
from dialgauge.llm.hiding import KeyHider
from dialgauge.llm.protocol import Audio, CallFailedError, Completion, Request
from dialgauge.llm.wire import UnreadableError, read_completion, write_body

MAX_BYTES = 4_000_000
"""How long an answer's body may be."""


def key_from(name: str) -> str:
    """Return the key that the environment variable ``name`` holds; raise ModelError where it is unset or empty."""
    key = os.environ.get(name, "").strip()
    if not key:
        raise ModelError(f"the environment variable {name} is not set; it must hold the key of the endpoint")
    return key


class OpenAICompatible:
    """The chat completions of an OpenAI-compatible endpoint.

    Redirects are not followed, an endpoint on this machine is never reached through a proxy, and nothing is tried
    twice. The key is sent to the endpoint alone: it is in no record, message or representation.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_env: str | None = None,
        timeout: float = 60.0,
        connections: int = 8,
        allow_plain: bool = False,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        """Take the ``base_url`` (such as ``http://127.0.0.1:8080/v1``) and the name of a ``model`` there.

        ``key_env`` is the environment variable that messages name, ``timeout`` the seconds of a whole call,
        ``connections`` how many are kept open to a proxy (without one, as many as calls were under way at once).
        ``allow_plain`` lets a key leave this machine over plain HTTP. A ``client`` that is given stays the caller's.
        Raises ModelError where the address or the key cannot be used.
        """
        url = _check_url(base_url)
        here = _is_loopback(url.host)
        if key is not None:
            _check_key(key)
            if url.scheme == "http" and not (here or allow_plain):
                msg = f"the endpoint {base_url!r} would send the key over plain HTTP; give an https:// address"
                raise ModelError(msg)
        self.base_url = str(url).rstrip("/")
        self.model = model
        self._key_env = key_env
        self.secret = KeyHider(key)
        self._timeout = timeout
        self._url = httpx.URL(f"{self.base_url}/chat/completions")
        self._headers = _headers(self._url, key)
        self._length_field = _length_field(url.host)
        self._owned = client is None
        self._client = client or httpx.AsyncClient(
            transport=Connections(verify=url.scheme == "https"),
            trust_env=not here,
            timeout=httpx.Timeout(None),  # the time limit is that of the whole call
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=connections),
        )

    def __repr__(self) -> str:
        """Show address and model, never the key."""
        return f"OpenAICompatible({self.base_url!r}, {self.model!r})"

    async def complete(self, request: Request) -> Completion:
        """Return the answer to ``request``.

        Raises CallFailedError: retriable where the connection or the endpoint failed, the body is no completion or
        the time was up; not retriable where the endpoint refused the call or its body is too long.
        """
        call = _Call(self, write_body(request, self.model, length_field=self._length_field))
        try:
            async with asyncio.timeout(self._timeout):
                headers = await self._exchange(call)
        except (TimeoutError, httpx.TimeoutException):
            msg = f"has not answered within {self._timeout:g} s; allow more by `timeout` under [limits] in study.toml"
            raise call.fail(msg, reason="timeout") from None
        except httpx.HTTPError as error:
            began = not isinstance(error, (httpx.ConnectError, httpx.LocalProtocolError, httpx.UnsupportedProtocol))
            raise call.fail(_describe(error, self.secret.hide(str(error))), began=began) from None
        received = call.read_text()
        if call.status != 200:
            shown = {name: self.secret.hide(value) for name, value in headers.items()}
            verdict = judge_status(
                call.status or 0, received, headers=shown, fields=_fields(call.sent, request), key_env=self._key_env
            )
            raise call.fail(
                verdict.message,
                retriable=verdict.retriable,
                throttled=verdict.throttled,
                retry_after=verdict.retry_after,
            )
        try:
            answer = read_completion(received, sent=call.sent, seconds=call.seconds, status=call.status)
        except UnreadableError as error:
            why = tell(self.secret.hide(str(error)))
            raise call.fail(f"sent an answer that cannot be read: {why}") from None
        return self.secret.hide_in(answer)

    async def close(self) -> None:
        """Close the connections, except those of a client that was given."""
        if self._owned:
            await self._client.aclose()

    async def _exchange(self, call: "_Call") -> httpx.Headers:
        """Send a body and take in what comes back, piece by piece, and as it comes: nothing is unpacked."""
        request = httpx.Request("POST", self._url, headers=self._headers, content=call.sent.encode())
        response = await self._client.send(request, stream=True, follow_redirects=False)
        try:
            call.status = response.status_code
            coding = response.headers.get("content-encoding", "").strip().lower()
            if coding not in {"", "identity"}:
                if call.status != 200:  # the status says enough
                    return response.headers
                what = f"sent a packed answer (content-encoding {tell(coding)}), and a plain one was asked for"
                raise call.fail(f"{what}; switch that off at the endpoint, or at the proxy before it", retriable=False)
            async for chunk in cast("httpx.AsyncByteStream", response.stream):
                call.body += chunk
                if len(call.body) > MAX_BYTES:
                    del call.body[MAX_BYTES:]
                    raise call.fail(f"sent more than {MAX_BYTES:,} bytes; check the endpoint", retriable=False)
        finally:
            await response.aclose()
        return response.headers


class _Call:
    """One exchange while it goes on."""

    def __init__(self, model: OpenAICompatible, sent: str) -> None:
        self.sent = sent
        self.body = bytearray()
        self.status: int | None = None
        self._model = model
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def read_text(self) -> str:
        """Return the body, which must be UTF-8."""
        try:
            return self._model.secret.hide(self.body.decode())
        except UnicodeDecodeError as error:
            raise self.fail(f"sent bytes that are no UTF-8, from byte {error.start} on") from None

    def fail(
        self,
        what: str,
        *,
        reason: Literal["error", "timeout"] = "error",
        retriable: bool = True,
        throttled: bool = False,
        retry_after: float | None = None,
        began: bool = True,
    ) -> CallFailedError:
        """Return the error with all that is known of the exchange; bytes that are no text are replaced.

        ``began`` is False where nothing was sent.
        """
        place = f"model {self._model.model!r} at {self._model.base_url}"
        secret = self._model.secret
        received = secret.hide_cut(self.body.decode(errors="replace"))
        n_in, n_out = read_usage(received)
        return CallFailedError(
            secret.hide(f"{place} {what}"),
            sent=self.sent,
            seconds=self.seconds,
            reason=reason,
            retriable=retriable,
            throttled=throttled,
            retry_after=retry_after,
            received=received if self.status is not None else None,
            status=self.status,
            billable=began and not (self.status is not None and is_refusal(self.status)),
            input_tokens=n_in,
            output_tokens=n_out,
        )


def _check_url(base_url: str) -> httpx.URL:
    remedy = "give an address such as 'http://127.0.0.1:8080/v1'"
    try:
        url = httpx.URL(base_url)
        url.host.encode("idna")
    except (httpx.InvalidURL, UnicodeError) as error:
        raise ModelError(f"the endpoint is no address ({error}); {remedy}") from None
    if url.userinfo:
        raise ModelError(f"the endpoint at {url.host!r} holds a password; put it into a variable and name it: key_env")
    if url.scheme not in {"http", "https"} or not url.host or (url.port or 0) > 65535:
        raise ModelError(f"the endpoint {base_url!r} is no http:// or https:// address; {remedy}")
    if url.query or url.fragment or url.path.rstrip("/").endswith("/chat/completions"):
        raise ModelError(f"the endpoint {url.copy_with(query=None)} goes past the base of the interface; {remedy}")
    return url


def _check_key(key: str) -> None:
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ModelError("the key of the endpoint is empty or has blanks or signs beyond ASCII; copy it again")


def _headers(url: httpx.URL, key: str | None) -> httpx.Headers:
    headers = httpx.Headers(
        {
            "host": url.netloc.decode("ascii"),
            "user-agent": "dialgauge",
            "accept": "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
        }
    )
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    return headers


def _length_field(host: str) -> str:
    """Return how the endpoint calls the limit of an answer: the first vendor has given up the name that others use."""
    own = host == "api.openai.com" or host.endswith(".openai.azure.com")
    return "max_completion_tokens" if own else "max_tokens"


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _fields(sent: str, request: Request) -> Collection[str]:
    """Return the names of the settings in a body, and ``input_audio`` where it has some."""
    heard = any(isinstance(part, Audio) for message in request.messages for part in message.parts)
    return {*json.loads(sent), *(("input_audio",) if heard else ())}


def _describe(error: httpx.HTTPError, text: str) -> str:
    said = tell(text)
    cause = f" ({said})" if said else ""
    if isinstance(error, httpx.ConnectError):
        return f"cannot be reached{cause}; check that it runs, and its address"
    return f"broke off{cause or f' ({type(error).__name__})'}"
