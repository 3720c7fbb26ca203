"""What a recommender gives, read as a `Reply`: the same forms in Python and in JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dialgauge.systems.apart import LONG_TEXT, do_apart, stop_clock
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.protocol import LONGEST_TEXT, Reply, SystemFailedError

EXPECTED = "a text, or text, items and recommends in a dict or tuple"
MOST_ITEMS = 10_000
"""How many items a reply may rank."""

_MANY = 200
"""Items from which on their names are looked up apart."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What a recommender gave, checked, with its items not looked up yet."""

    text: str
    names: list[str] | None
    recommends: bool | None


async def read_reply(value: object, finder: ItemFinder, *, who: str) -> Reply:
    """Return what ``value`` says: a text, a mapping with ``text``, ``items`` and ``recommends``, a tuple, or a Reply.

    In a mapping and a tuple only the text is needed. Items are ids or titles; where none are given (or None), they are
    the catalogue's whole titles in the text. Other keys are passed over. The clock of the reply stops, and a long text
    is read off the event loop. ``who`` begins the message of the SystemFailedError that is raised for anything else.
    """
    stop_clock()
    if isinstance(value, Reply):
        return check_reply(value, who)
    given = _check(*_take_apart(value, who), who)
    names = given.names
    if names is None:
        ranking, unknown = await do_apart(lambda: finder.read(given.text), long=len(given.text) > LONG_TEXT)
    else:
        ranking, unknown = await do_apart(lambda: finder.resolve(names), long=len(names) > _MANY)
    return Reply(text=given.text, ranking=ranking, recommends=given.recommends, unknown=unknown)


def check_reply(reply: object, who: str) -> Reply:
    """Return ``reply`` if its fields are what they should be; raise SystemFailedError, begun by ``who``, otherwise."""
    if not isinstance(reply, Reply):
        raise _no_reply(who, type(reply).__name__, expected="a Reply with a text")
    _check(reply.text, reply.ranking, reply.recommends, who)
    named: dict[str, object] = {"ranking": reply.ranking, "unknown": reply.unknown}
    for name, given in named.items():
        if not isinstance(given, list | tuple) or not all(isinstance(item, str) for item in given):
            raise _no_reply(who, f"a Reply whose {name} is no list of texts", expected="ids of the catalogue")
    return reply


def _check(text: object, items: object, recommends: object, who: str) -> _Given:
    if not isinstance(text, str):
        raise _no_reply(who, f"a text of type {type(text).__name__}", expected="a str")
    if len(text) > LONGEST_TEXT:
        msg = f"{who} gave {len(text):,} characters; {LONGEST_TEXT:,} is the most, and the rest is cut"
        raise SystemFailedError(msg, kind="too long", text=text[:LONGEST_TEXT])
    if recommends is not None and not isinstance(recommends, bool):
        raise _no_reply(who, f"recommends of type {type(recommends).__name__}", expected="true, false or nothing")
    return _Given(text, None if items is None else _read_names(items, who), recommends)


def _take_apart(value: object, who: str) -> tuple[object, object, object]:
    if isinstance(value, str):
        return value, None, None
    if isinstance(value, Mapping):
        if "text" not in value:
            keys = ", ".join(sorted(str(key)[:40] for key in value)[:6]) or "no key at all"
            raise _no_reply(who, f"a mapping without text (its keys: {keys})")
        return value["text"], value.get("items"), value.get("recommends")
    if isinstance(value, tuple) and 1 <= len(value) <= 3:
        padded: tuple[Any, ...] = (*value, None, None)
        return padded[0], padded[1], padded[2]
    what = f"a tuple of {len(value)}" if isinstance(value, tuple) else type(value).__name__
    raise _no_reply(who, what)


def _read_names(items: object, who: str) -> list[str]:
    if not isinstance(items, list | tuple):
        raise _no_reply(who, f"items of type {type(items).__name__}", expected="a list of ids or titles")
    if len(items) > MOST_ITEMS:
        raise _no_reply(who, f"{len(items):,} items", expected=f"{MOST_ITEMS:,} at most")
    for item in items:
        if not isinstance(item, str | int) or isinstance(item, bool):
            raise _no_reply(who, f"an item of type {type(item).__name__}", expected="an id or a title")
    return [str(item) for item in items]


def _no_reply(who: str, what: str, *, expected: str = EXPECTED) -> SystemFailedError:
    return SystemFailedError(f"{who} gave {what}; expected: {expected}", kind="no reply")
