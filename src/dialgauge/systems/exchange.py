"""JSON to a recommender over HTTP and back, with limits; each dialogue has cookies and connections of its own."""

import asyncio
import json
import ssl
from collections.abc import Mapping
from typing import Any, NoReturn

import httpx

from dialgauge.errors import RecommenderError
from dialgauge.io.words import clip
from dialgauge.systems.protocol import UNREACHABLE, SystemFailedError

MAX_BYTES = 1_000_000
"""How long the body of a reply may be."""

LONGEST_SENTENCE = 300

BUSY = frozenset({429, 503})
"""Statuses of a server that takes no call now, and may later."""


class Address:
    """Where a recommender listens. Raises RecommenderError for what is no http:// or https:// address."""

    def __init__(self, url: str, *, timeout: float) -> None:
        self.url = _check_url(url)
        self.timeout = timeout
        self._context = httpx.create_ssl_context()

    def open(self) -> "Line":
        """Return a line for one dialogue."""
        return Line(self, self._context)


class Line:
    """The connection of one dialogue, with its cookies.

    Redirects are not followed, proxies of the environment are not used, and nothing is tried twice.
    """

    def __init__(self, address: Address, context: ssl.SSLContext) -> None:
        self._url = address.url
        self._timeout = address.timeout
        self._client = httpx.AsyncClient(
            verify=context,
            trust_env=False,
            timeout=httpx.Timeout(None),  # the time limit is that of the whole call
            headers={"user-agent": "dialgauge", "accept-encoding": "identity"},
        )

    async def get(self) -> tuple[int, str]:
        """Return status and body of a GET; raise SystemFailedError where there is no answer."""
        return await self._send(self._client.build_request("GET", self._url))

    async def post(self, content: object) -> Mapping[str, Any]:
        """Send ``content`` as JSON and return the JSON object that comes back; raise SystemFailedError otherwise."""
        body = json.dumps(content).encode()
        headers = {"content-type": "application/json", "accept": "application/json"}
        status, text = await self._send(self._client.build_request("POST", self._url, content=body, headers=headers))
        if not 200 <= status < 300:
            self.fail_by_status(status, text)
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            what = f"the text {_tell(text)!r}" if text.strip() else "an empty body"
            self.fail(f"sent {what} instead of JSON", kind="no reply", text=text)
        if not isinstance(found, dict):
            self.fail(f"sent JSON, but no object: {type(found).__name__}", kind="no reply", text=text)
        return found

    async def close(self) -> None:
        """Close the connections and forget the cookies."""
        await self._client.aclose()

    def fail(self, what: str, *, kind: str, text: str = "") -> NoReturn:
        """Raise SystemFailedError that says what the recommender at this address did."""
        raise SystemFailedError(f"the recommender at {self._url} {what}", kind=kind, text=text)

    def fail_by_status(self, status: int, text: str) -> NoReturn:
        """Raise SystemFailedError for a ``status`` that is no success."""
        said = f"status {status}: {_tell(text)}" if text.strip() else f"status {status}, without a word"
        if 300 <= status < 400:
            self.fail(
                f"redirects ({said}), which is not followed; give the final address", kind="redirected", text=text
            )
        if status in BUSY:
            self.fail(f"is not ready ({said}); start it, or wait", kind=UNREACHABLE, text=text)
        if status >= 500:
            self.fail(f"failed ({said})", kind="crashed", text=text)
        self.fail(f"refused the call ({said})", kind="refused", text=text)

    async def _send(self, request: httpx.Request) -> tuple[int, str]:
        try:
            async with asyncio.timeout(self._timeout):
                return await self._receive(request)
        except TimeoutError:
            self.fail(f"did not answer within {self._timeout:g} s", kind="timeout")
        except httpx.ConnectError as error:
            self.fail(f"cannot be reached ({_tell(str(error))}); check that it runs, and its address", kind=UNREACHABLE)
        except httpx.HTTPError as error:
            self.fail(f"broke off the connection ({_tell(str(error)) or type(error).__name__})", kind="crashed")

    async def _receive(self, request: httpx.Request) -> tuple[int, str]:
        response = await self._client.send(request, stream=True, follow_redirects=False)
        body = bytearray()
        try:
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MAX_BYTES:
                    text = body[:MAX_BYTES].decode(errors="replace")
                    self.fail(f"sent more than {MAX_BYTES:,} bytes", kind="too long", text=text)
        finally:
            await response.aclose()
        try:
            return response.status_code, body.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            text = body.decode(errors="replace")
            self.fail(f"sent bytes that are no UTF-8, from byte {error.start} on", kind="no reply", text=text)


def _check_url(url: str) -> httpx.URL:
    remedy = "give one such as http://127.0.0.1:5005"
    try:
        found = httpx.URL(url)
        found.host.encode("idna")
    except (httpx.InvalidURL, UnicodeError) as error:
        raise RecommenderError(f"{clip(url)!r} is no address of a recommender ({error}); {remedy}") from None
    if found.userinfo:
        msg = f"the address of the recommender at {found.host!r} holds a password, which would be kept in the records"
        raise RecommenderError(f"{msg}; let the server do without")
    if found.scheme not in {"http", "https"} or not found.host or (found.port or 0) > 65535 or found.fragment:
        raise RecommenderError(f"{clip(url)!r} is no http:// or https:// address of a recommender; {remedy}")
    return found


def _tell(text: str) -> str:
    return clip(" ".join(text[: 4 * LONGEST_SENTENCE].split()), LONGEST_SENTENCE)
