"""A small catalogue, and dialogues with simulated users whose measures can be counted by hand."""

from collections.abc import Mapping, Sequence

import polars as pl

from dialgauge.model.item import Catalogue, Item
from dialgauge.model.ratings import RATING_SCHEMA, Ratings
from dialgauge.model.scale import Scale
from dialgauge.model.simulated import End, Persona, Preference, ReplyPair, SimulatedDialogue, SystemTurn, UserTurn

CATALOGUE = Catalogue(
    "films",
    (
        Item(id="1", title="Quiet Harbour", year=1999, attributes=("drama",)),
        Item(id="2", title="Copper Moon", year=2004, attributes=("drama",)),
        Item(id="3", title="Zebra Parade", year=2010, attributes=("comedy",)),
        Item(id="4", title="Up", year=2009, attributes=("comedy",)),
        Item(id="5", title="Velvet Anvil", year=2015, attributes=("horror",)),
    ),
)
DRAMA = Preference(id="drama", attributes=("drama",))
COMEDY = Preference(id="comedy", attributes=("comedy",))
TARGETS: Mapping[str, tuple[str, ...]] = {"drama": ("1", "2"), "comedy": ("3", "4")}
PERSONAS = (
    Persona(id="0", emotion="trust", age="adults"),
    Persona(id="1", emotion="trust", age="teens"),
    Persona(id="2", emotion="boredom", age="adults"),
)


def make_dialogue(
    number: int,
    persona: Persona,
    preference: Preference,
    *,
    replies: Sequence[tuple[str, str]],
    accepts: str | None = None,
    words: str = "I take it.",
    ended: End | None = None,
    system: str = "one",
) -> SimulatedDialogue:
    """Return a dialogue whose system says ``replies``: the text, and the ranking as a string of ids."""
    turns: list[UserTurn | SystemTurn] = []
    for text, ranking in replies:
        turns += [UserTurn(text="Something else?"), SystemTurn(text=text, ranking=tuple(ranking))]
    accepting = accepts is not None or ended == "accepted"
    turns.append(UserTurn(text=words, accepting=accepting, accepts=accepts))
    return SimulatedDialogue(
        id=f"{system}-{number}",
        system=system,
        persona=persona,
        preference=preference,
        targets=TARGETS[preference.id],
        turns=tuple(turns),
        ended=ended or ("accepted" if accepting else "turn limit"),
    )


def make_dialogues(system: str = "one") -> list[SimulatedDialogue]:
    """Return six dialogues, each persona with each preference."""
    a, b, c = PERSONAS
    return [
        make_dialogue(
            0, a, DRAMA, replies=[("Hello!", "35"), ('Try "Quiet Harbour".', "15")], accepts="1", system=system
        ),
        make_dialogue(
            1, b, DRAMA, replies=[('Try "Velvet Anvil".', "51"), ("Or Copper Moon.", "21")], accepts="5", system=system
        ),
        make_dialogue(2, c, DRAMA, replies=[('Try "Golden Turnip".', "53"), ("No more.", "53")], system=system),
        make_dialogue(
            3, a, COMEDY, replies=[("Zebra Parade (2010)?", "34"), ("Well.", "34")], accepts="3", system=system
        ),
        make_dialogue(4, b, COMEDY, replies=[("What a cup!", "12"), ("Well.", "12")], system=system),
        make_dialogue(5, c, COMEDY, replies=[("Hm.", "52"), ("Well.", "54")], system=system),
    ]


def make_ratings(
    values: Mapping[str, Sequence[float]], dialogues: Sequence[SimulatedDialogue], top: int = 5
) -> Ratings:
    """Return ratings of the dialogues in their order by one rater, on 1 to ``top``."""
    rows = [
        {
            "target": dialogue.id,
            "rater": "r",
            "dimension": name,
            "replicate": 1,
            "value": value,
            "missing": None,
            "row": row,
        }
        for name, column in values.items()
        for row, (dialogue, value) in enumerate(zip(dialogues, column, strict=True), start=2)
    ]
    scale = Scale.parse(f"1:{top}")
    return Ratings(pl.DataFrame(rows, schema=dict(RATING_SCHEMA)), dict.fromkeys(values, scale))


RATED: Mapping[str, Sequence[float]] = {
    "manner": [4, 3, 5, 4, 2, 3],
    "response_quality": [3, 3, 4, 4, 2, 3],
    "relevance": [5, 2, 2, 4, 1, 2],
    "social_awareness": [4, 4, 2, 5, 3, 1],
    "persuasiveness": [4, 2, 3, 5, 3, 2],
}


def make_pairs(dialogues: Sequence[SimulatedDialogue]) -> list[ReplyPair]:
    """Return a pair of replies for each dialogue: same, diverse, sensitive, one silent, both silent, failed."""
    said = [
        ('"Quiet Harbour"', '"Quiet Harbour"'),
        ('"Quiet Harbour"', '"Copper Moon"'),
        ('"Quiet Harbour"', '"Velvet Anvil"'),
        ('"Zebra Parade"', "Why?"),
        ("Why?", "When?"),
        ('"Zebra Parade"', ""),
    ]
    return [
        ReplyPair(
            system=dialogue.system,
            persona=dialogue.persona,
            preference=dialogue.preference,
            targets=dialogue.targets,
            first=SystemTurn(text=first),
            second=SystemTurn(text=second, failure="timeout" if not second else None),
        )
        for dialogue, (first, second) in zip(dialogues, said, strict=True)
    ]
