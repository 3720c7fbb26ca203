"""The options by which ratings are read: the same for every command that takes a file of ratings."""

from typing import Annotated

import typer

_FILE = "Which column is what"
_SCALE = "The scale, declared and never guessed (one of these)"
_ROWS = "Rows"

RatingsFile = Annotated[str, typer.Argument(metavar="FILE", help="Ratings as CSV, TSV, JSON lines or Parquet.")]

Target = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="What is rated, such as the dialogue.", rich_help_panel=_FILE)
]

Rater = Annotated[str | None, typer.Option(metavar="COLUMN", help="Who rated.", rich_help_panel=_FILE)]

Value = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The ratings of a long table.", rich_help_panel=_FILE)
]

Dimension = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The dimensions of a long table.", rich_help_panel=_FILE)
]

Dimensions = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="The columns of a wide table that hold ratings, or the dimensions of a long one to look at.",
        rich_help_panel=_FILE,
    ),
]

Replicate = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Number of a repeated rating by the same rater.", rich_help_panel=_FILE),
]

InstrumentName = Annotated[
    str | None,
    typer.Option(metavar="NAME|FILE", help="A known instrument, or a TOML file.", rich_help_panel=_SCALE),
]

ScaleText = Annotated[
    str | None,
    typer.Option(metavar="LOW:HIGH", help="1:5 has the points 1 to 5; 0.0:1.0 is continuous.", rich_help_panel=_SCALE),
]

Labels = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C", help="Words for the points, lowest first, such as bad,fair,good.", rich_help_panel=_SCALE
    ),
]

Where = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION", help="Keep the rows for which this is true, such as 'gold == 0'.", rich_help_panel=_ROWS
    ),
]

Duplicates = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help="What repeated ratings of one target by one rater are: error, first, last, mean or replicate.",
        rich_help_panel=_ROWS,
    ),
]
