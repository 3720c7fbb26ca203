"""Keep the key of an endpoint out of every record and message, also where the endpoint spells it in another way."""

import re
from dataclasses import replace

from dialgauge.llm.protocol import Completion, Token

SHORTEST_SECRET = 8
"""Shorter keys are placeholders such as ``none``, which an answer may well contain."""

HIDDEN = "[key]"

_ESCAPES = 8
"""Backslashes before an escaped sign at most: JSON in a text in JSON doubles them each time."""


class KeyHider:
    """Replaces one key, as it is or with any of its signs escaped as in JSON, by ``[key]``."""

    def __init__(self, key: str | None) -> None:
        self._key = key if key is not None and len(key) >= SHORTEST_SECRET else None
        self._pattern = None if self._key is None else re.compile("".join(map(_spell, self._key)))

    def hide(self, text: str) -> str:
        """Return ``text`` without the key."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def hide_cut(self, text: str) -> str:
        """Return a text that may break off anywhere, without the key and without the beginning of it at the end."""
        text = self.hide(text)
        key = self._key or ""
        parts = (key[:n] for n in range(len(key) - 1, SHORTEST_SECRET - 1, -1))
        return next((text.removesuffix(part) + HIDDEN for part in parts if text.endswith(part)), text)

    def hide_in(self, completion: Completion) -> Completion:
        """Return ``completion`` without the key in any of its texts; what was sent never had it."""
        if self._pattern is None:
            return completion
        return replace(
            completion,
            text=self.hide(completion.text),
            received=self.hide(completion.received),
            finish_reason=self._hide_any(completion.finish_reason),
            refusal=self._hide_any(completion.refusal),
            model=self._hide_any(completion.model),
            fingerprint=self._hide_any(completion.fingerprint),
            tokens=None if completion.tokens is None else tuple(map(self._hide_token, completion.tokens)),
        )

    def _hide_any(self, text: str | None) -> str | None:
        return None if text is None else self.hide(text)

    def _hide_token(self, token: Token) -> Token:
        top = tuple((self.hide(text), logprob) for text, logprob in token.top)
        return Token(self.hide(token.text), token.logprob, top)


def _spell(sign: str) -> str:
    """Return a pattern for one sign of a key: itself, behind backslashes, or by its number behind backslashes."""
    return rf"(?:\\{{0,{_ESCAPES}}}{re.escape(sign)}|\\{{1,{_ESCAPES}}}u(?i:{ord(sign):04x}))"
