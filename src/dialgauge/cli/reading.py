"""The options by which ratings are read: the same for every command that takes ratings, from a table or a study."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

if TYPE_CHECKING:
    from dialgauge.io.request import ReadOptions
    from dialgauge.model import Ratings

_FILE = "Which column is what"
_SCALE = "The scale, declared and never guessed (one of these)"
_ROWS = "Rows"

RatingsFile = Annotated[str, typer.Argument(metavar="FILE", help="Ratings as CSV, TSV, JSON lines or Parquet.")]

RatingsSource = Annotated[
    str,
    typer.Argument(metavar="FILE|STUDY", help="Ratings as CSV, TSV, JSON lines or Parquet, or the folder of a study."),
]

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

RaterKindName = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="The raters of a study that are looked at: human, llm or code; by default people where they rated, else "
        "models.",
        rich_help_panel=_ROWS,
    ),
]


def is_study(source: str) -> bool:
    """Tell whether ``source`` names a study rather than a table."""
    return (Path(source) / "study.toml").is_file() or source.endswith(".toml")


def study_name(source: str) -> str:
    """Return the name of the study that ``source`` names, "" for a table."""
    from dialgauge.io.study import read_study

    return read_study(source).study.name if is_study(source) else ""


def refuse_options(options: Mapping[str, object]) -> None:
    """Raise InputError where an option for tables was given together with a study."""
    from dialgauge.errors import InputError

    given = [name for name, value in options.items() if value is not None and (name, value) != ("duplicates", "error")]
    if given:
        msg = f"--{given[0]} is about a table, and a study knows what it holds; leave it out, or give an exported table"
        raise InputError(msg)


def read_source(source: str, **options: "Unpack[ReadOptions]") -> "Ratings":
    """Return the ratings of a table, read by ``options``, or of a study, for which only ``dimensions`` may be given.

    Of a study they are those of all kinds of rater, without those that are made up where there are real ones.
    """
    from dialgauge.io import read_ratings
    from dialgauge.io.choosing import read_all_kinds

    if not is_study(source):
        return read_ratings(source, **options)
    return read_all_kinds(source, _take_dimensions(options))[0]


def read_kind(source: str, kind: str | None, **options: "Unpack[ReadOptions]") -> "Ratings":
    """Return the ratings of a table as `read_source` does, or those of a study by one kind of rater."""
    from dialgauge.io import read_ratings
    from dialgauge.io.choosing import read_one_kind

    if is_study(source):
        return read_one_kind(source, _take_dimensions(options), kind=kind)
    refuse_kind(kind)
    return read_ratings(source, **options)


def refuse_kind(kind: str | None) -> None:
    """Raise InputError where a kind of rater was asked of a table."""
    from dialgauge.errors import InputError

    if kind is not None:
        msg = "--kind is about a study, which knows the kinds of its raters; choose the rows of a table with --where"
        raise InputError(msg)


@contextmanager
def saying_what_is_left_out(ratings: "Ratings") -> Iterator[None]:
    """Add to an InputError in the block what was found while reading, since it may be the cause."""
    from dialgauge.errors import InputError
    from dialgauge.io.choosing import LEFT_OUT

    try:
        yield
    except InputError as error:
        left = [finding.rstrip(".") for finding in ratings.findings if finding.startswith(LEFT_OUT)]
        if not left:
            raise
        msg = f"{error} ({'; '.join(left)})"
        raise InputError(msg) from None


def _take_dimensions(options: "ReadOptions") -> list[str]:
    """Return the names of the dimensions, where no other option for tables is given together with a study."""
    refuse_options({name: value for name, value in options.items() if name not in {"dimensions", "off_scale"}})
    named = options.get("dimensions")
    names = named.split(",") if isinstance(named, str) else named or ()
    return [name.strip() for name in names]


def source_file(source: str) -> str | None:
    """Return the file that no result may overwrite: the table, or None for a study."""
    return None if is_study(source) else source
