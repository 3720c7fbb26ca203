"""Links in texts that people are shown."""

import re

from markupsafe import Markup, escape

_LINK = re.compile(r"\b(?:https?://|mailto:)[^\s<>\"'`]+", re.IGNORECASE)
_AFTER = ".,;:!?)]}*_"
"""What ends a sentence about a link rather than the link."""


def link(text: str) -> Markup:
    """Return ``text`` escaped, with links where it has addresses that begin with http, https or mailto."""
    parts, place = [], 0
    for found in _LINK.finditer(text):
        address = found[0].rstrip(_AFTER)
        if address.count("(") > address.count(")") and found[0][len(address) :].startswith(")"):
            address += ")"
        shown = address[len("mailto:") :] if address.lower().startswith("mailto:") else address
        if not shown:
            continue
        parts.append(escape(text[place : found.start()]))
        parts.append(Markup('<a href="{}" rel="noopener noreferrer" target="_blank">{}</a>').format(address, shown))
        place = found.start() + len(address)
    return Markup().join([*parts, escape(text[place:])])
