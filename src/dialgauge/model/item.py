"""What can be recommended, and the catalogue that it is chosen from."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from dialgauge.model.instrument import Name

Fit = Literal["equal", "containing"]
"""When an item fits a preference: its attributes are exactly those, or those are among its attributes."""


class Item(BaseModel):
    """A thing that can be recommended.

    ``attributes`` are the kinds it belongs to (genres), in lower case; ``people`` those who made it. ``id`` names it in
    rankings, ``title`` in the words of a dialogue.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Name
    title: Name
    year: int | None = None
    attributes: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All items that a recommender may choose from, in their order; no two have one id."""

    name: str
    items: tuple[Item, ...]
    by_id: Mapping[str, Item] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {item.id: item for item in self.items})
        if len(self.by_id) != len(self.items):
            msg = f"two items of the catalogue {self.name!r} have one id; give each its own"
            raise ValueError(msg)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def digest(self) -> str:
        """The hash of all items in their order, in hexadecimal figures: what tells one catalogue from another."""
        items = "\n".join(item.model_dump_json() for item in self.items)
        return hashlib.sha256(items.encode("utf-8", "surrogatepass")).hexdigest()

    def fitting(self, attributes: Collection[str], fit: Fit) -> tuple[Item, ...]:
        """Return the items whose attributes are exactly ``attributes``, or contain them all."""
        wanted = frozenset(attributes)
        if fit == "equal":
            return tuple(item for item in self.items if frozenset(item.attributes) == wanted)
        return tuple(item for item in self.items if wanted <= frozenset(item.attributes))
