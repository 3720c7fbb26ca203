"""The bodies of requests: bounded in size, time and number of fields, and read as what they say they are."""

import asyncio
import json
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

LARGEST_BODY = 256 * 1024
"""Bytes: many times what the longest form sends."""

MOST_FIELDS = 2000
SECONDS = 20.0
FORM, JSON = "application/x-www-form-urlencoded", "application/json"


class UnreadableError(Exception):
    """A body that is not what a page of ours sends; ``status`` is that of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def read_form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, of each name the last; UnreadableError where the body is none."""
    content = await _read(request, FORM)
    try:
        pairs = parse_qsl(content.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise UnreadableError(400, "the form could not be read; please go back and send it again") from None
    return dict(pairs)


async def read_object(request: Request) -> Mapping[str, object]:
    """Return a JSON object; UnreadableError where the body is none."""
    content = await _read(request, JSON)
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UnreadableError(400, "the body must be a JSON object")
    return found


async def _read(request: Request, kind: str) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise UnreadableError(415, f"the content type must be {kind}")
    parts, size = [], 0
    try:
        async with asyncio.timeout(SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > LARGEST_BODY:
                    raise UnreadableError(413, f"more than {LARGEST_BODY:,} bytes were sent")
                parts.append(part)
    except TimeoutError:
        raise UnreadableError(408, "the request took too long; please send it again") from None
    except ClientDisconnect:
        raise UnreadableError(400, "the request broke off") from None
    return b"".join(parts)
