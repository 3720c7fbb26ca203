"""What is signed with the key of the study: who is logged in, forms, and the names under which targets are shown."""

import hashlib
import hmac
import json
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

LIFETIME = 30 * 24 * 3600
"""Seconds for which a cookie is good."""

SHORT = 22
"""Characters of a token: 132 bits."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A browser that visits: a random ``nonce``, and the rater who entered their code in it, if anybody did.

    ``mark`` stands for that code: names of raters are given out afresh in another database, codes are not.
    """

    nonce: str
    rater: str | None = None
    mark: str = ""

    @classmethod
    def begin(cls, rater: str | None = None, mark: str = "") -> "Visit":
        """Return a visit with a nonce of its own."""
        return cls(secrets.token_urlsafe(12), rater, mark)


class Signer:
    """Makes and checks tokens; each purpose has signatures of its own."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.cookie = f"dialgauge-{self._token('cookie')[:8]}"
        self.status = self._token("status")

    def write(self, visit: Visit, *, now: float | None = None) -> str:
        """Return the cookie of ``visit``."""
        content = json.dumps([visit.nonce, visit.rater, visit.mark, int(time.time() if now is None else now)])
        body = urlsafe_b64encode(content.encode()).decode().rstrip("=")
        return f"{body}.{self._token('visit', body)}"

    def read(self, cookie: str, *, now: float | None = None) -> Visit | None:
        """Return the visit of a cookie; None where its signature is wrong or its time is over."""
        body, _, signature = cookie.partition(".")
        if not _same(signature, self._token("visit", body)):
            return None
        nonce, rater, mark, since = json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        age = (time.time() if now is None else now) - since
        return Visit(nonce, rater, mark) if age <= LIFETIME else None

    def form_token(self, visit: Visit) -> str:
        """Return the token that the forms of ``visit`` bear, so that no other page can send them."""
        return self._token("form", visit.nonce, visit.rater or "")

    def is_form_token(self, token: str, visit: Visit) -> bool:
        """Whether ``token`` is that of ``visit``."""
        return _same(token, self.form_token(visit))

    def is_status_token(self, token: str) -> bool:
        """Whether ``token`` opens the page of progress."""
        return _same(token, self.status)

    def mark(self, code: str) -> str:
        """Return what stands for a person's code."""
        return self._token("code", code)

    def handle(self, name: str) -> str:
        """Return the word under which a target is shown in addresses: ids of targets may tell the system."""
        return self._token("handle", name)

    def _token(self, purpose: str, *parts: str) -> str:
        told = "\0".join((purpose, *parts)).encode("utf-8", "surrogatepass")
        return urlsafe_b64encode(hmac.new(self._key, told, hashlib.sha256).digest()).decode()[:SHORT]


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), right.encode())
