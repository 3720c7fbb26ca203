"""Which column of a table is what: named by the caller, or guessed where only one guess is possible."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.cells import as_numbers, is_missing
from dialgauge.io.request import Request
from dialgauge.io.table import Table
from dialgauge.io.words import clip, shorten
from dialgauge.model.scale import normalise_label

KNOWN_NAMES = {
    "target": "target target_id dialogue dialogue_id dialog dialog_id conversation conversation_id item item_id "
    "segment segment_id",
    "rater": "rater rater_id participant participant_id annotator annotator_id worker worker_id judge judge_id "
    "model model_id",
    "value": "value rating score",
    "dimension": "dimension metric question",
    "replicate": "replicate run occasion",
}
"""The column names that are recognised for each role, whatever their case, with ``-`` and blanks read as ``_``."""

_MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Layout:
    """The roles of the columns.

    Long tables have ``value`` and perhaps ``dimension``; where a long table has no column of dimensions, its one
    dimension is ``only``. Wide tables have ``wide``, one column a dimension.
    """

    target: str
    rater: str
    replicate: str | None
    value: str | None = None
    dimension: str | None = None
    only: str | None = None
    missing: str | None = None
    wide: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def find_layout(table: Table, request: Request) -> Layout:
    """Find the role of each column.

    Raises TableError when a named column does not exist (with near matches), when a column that is needed was not named
    and several or none could be meant (with the option to give), and when the form, long or wide, is not certain.
    """
    return _Finder(table, request).find()


class _Finder:
    """The columns that are still free, and the notes on what was guessed."""

    def __init__(self, table: Table, request: Request) -> None:
        self._table = table
        self._request = request
        self._notes: list[str] = []
        given = [getattr(request, role) for role in KNOWN_NAMES]
        self._check_named(given)
        listed = request.dimensions or (request.instrument.dimension_names if request.instrument else ())
        self._wide = [name for name in listed if name in table.columns]
        taken = {*self._wide, *(name for name in given if name)}
        self._free = [name for name in table.columns if name not in taken]

    def find(self) -> Layout:
        target, rater = self._need("target"), self._need("rater")
        replicate = self._request.replicate or self._guess("replicate")
        value, dimension, wide = self._find_form()
        only, missing = None, None
        if value is not None:
            missing = _MISSING if _MISSING in self._free and self._holds_reasons(_MISSING, value) else None
            only = None if dimension else self._name_only(value)
        used = {target, rater, replicate, value, dimension, missing, *wide}
        unused = [name for name in self._table.columns if name not in used]
        if unused:
            self._notes.append(f"Columns that were not read as ratings: {shorten(unused, 30)}.")
        notes = (*self._notes, *(self._near_misses(unused) if wide else ()))
        return Layout(
            target, rater, replicate, value, dimension, only, missing, tuple(wide), notes=notes, unread=tuple(unused)
        )

    def _near_misses(self, unused: Iterable[str]) -> list[str]:
        """Return a note for each column that may be a dimension of the instrument under another name."""
        instrument = self._request.instrument
        if instrument is None or self._request.dimensions:
            return []
        long_enough = [name for name in unused if len(name) > 3 and name not in instrument.dimension_names]
        absent = [name for name in instrument.dimension_names if name not in self._wide]
        pairs = [(name, meant) for name in long_enough for meant in absent if _simple(name) in meant]
        return [
            f"Column {name!r} was not read; is it the dimension {meant!r}? Then rename it." for name, meant in pairs
        ]

    def _find_form(self) -> tuple[str | None, str | None, list[str]]:
        """Return the columns of values and dimensions of a long table, or the dimensions of a wide one."""
        request = self._request
        if request.value is None and self._wide:
            return None, None, self._check_wide()
        rest = self._free_numbers()
        value = request.value or self._guess("value", required=request.dimension is not None)
        if value is None:
            return None, None, self._guess_wide(rest)
        dimension = request.dimension or self._guess("dimension")
        others = [name for name in self._free if name != _MISSING]
        if dimension is None and request.value is None and rest is not None and others:
            msg = f"the ratings may be in {value!r} alone, or in each of {shorten([value, *others])}"
            msg += f"; give --value {value}, or list the columns with --dimensions"
            raise TableError(msg)
        return value, dimension, []

    def _check_wide(self) -> list[str]:
        """Check the dimensions that are columns against those that were asked for."""
        request = self._request
        asked = request.dimensions or (request.instrument.dimension_names if request.instrument else ())
        absent = [name for name in asked if name not in self._wide]
        if request.dimensions and absent:
            raise TableError(self._no_column(absent[0], "--dimensions"))
        if request.dimension is not None:
            msg = f"the table has columns for dimensions ({shorten(self._wide)}) and a column of dimensions was named"
            msg += "; give --value as well if the table is long, or leave --dimension out"
            raise TableError(msg)
        if absent:
            self._notes.append(f"Dimensions of the instrument that the table does not have: {shorten(absent, 30)}.")
        return self._wide

    def _guess_wide(self, rest: list[str] | None) -> list[str]:
        """Take every column that is left as a dimension, if all hold numbers."""
        request = self._request
        if request.dimensions:
            raise TableError(self._no_column(request.dimensions[0], "--dimensions"))
        if request.instrument is not None:
            names = shorten(request.instrument.dimension_names, 30)
            msg = f"no column of {self._table.source} is named after a dimension of {request.instrument.name} ({names})"
            msg += f"; rename the columns {shorten(self._free, 30)}, or give --value for a long table"
            raise TableError(msg)
        if not rest:
            msg = f"it is not clear which columns of {self._table.source} hold ratings ({shorten(self._free, 30)})"
            msg += f"{self._odd_cell()}; list them with --dimensions a,b,c, or give --value for a long table"
            raise TableError(msg)
        self._notes.append(f"Every other column was read as a dimension: {shorten(rest, 30)}.")
        self._free = []
        return rest

    def _free_numbers(self) -> list[str] | None:
        """Return the columns without a role if all of them hold numbers, or labels of the declared scale."""
        return list(self._free) if all(self._holds_ratings(name) for name in self._free) else None

    def _holds_ratings(self, name: str) -> bool:
        """Whether a column holds numbers or labels only; an empty column does not."""
        cells = self._table.frame[name]
        numbers = as_numbers(cells)
        if numbers is not None:
            return bool(numbers.count())
        request = self._request
        if cells.dtype != pl.String or request.instrument is not None or not request.declares_scale:
            return False
        labels = request.scale_for(name).label_points()
        frame = self._table.frame.filter(~is_missing(name, cells.dtype))
        return all(normalise_label(word) in labels for word in frame[name].unique())

    def _odd_cell(self) -> str:
        """Name the first cell that keeps a column of numbers from being one."""
        for name in self._free:
            missing = is_missing(name, self._table.frame.schema[name])
            frame = self._table.frame.with_columns(row=self._table.rows).filter(~missing)
            if frame.schema[name] != pl.String or as_numbers(frame[name]) is not None:
                continue
            odd = frame.filter(pl.col(name).str.strip_chars().cast(pl.Float64, strict=False).is_null())
            if odd.height < frame.height / 2:
                return f": column {name!r} has {clip(odd[name][0])!r} in row {odd['row'][0]}, which is no number"
        return ""

    def _holds_reasons(self, name: str, value: str) -> bool:
        """Whether a column tells why values are missing: text, and not a flag of 0 or 1 beside every value."""
        frame = self._table.frame
        if frame.schema[name] not in (pl.String, pl.Null):
            return False
        numbers = as_numbers(frame[name])
        if numbers is None:
            return True
        present = ~frame.select(is_missing(value, frame.schema[value])).to_series()
        return not (numbers.is_not_null() & present).any()

    def _name_only(self, value: str) -> str:
        """Return the name of the one dimension of a long table without a column of dimensions."""
        request = self._request
        asked = request.dimensions or (request.instrument.dimension_names if request.instrument else (value,))
        if len(asked) > 1:
            msg = f"column {value!r} holds the values of one dimension, and no column tells which"
            msg += "; name the column of dimensions with --dimension, or the one with --dimensions"
            raise TableError(msg)
        self._notes.append(f"No column of dimensions: all values belong to the dimension {asked[0]!r}.")
        return asked[0]

    def _need(self, role: str) -> str:
        name = getattr(self._request, role) or self._guess(role, required=True)
        return str(name)

    def _guess(self, role: str, *, required: bool = False) -> str | None:
        """Return the one free column with a name known for ``role``, and note it."""
        found = names_known(role, self._free)
        if len(found) > 1:
            msg = f"columns {shorten(found)} of {self._table.source} may each hold the {role}"
            msg += f"; say which with --{role}"
            raise TableError(msg)
        if not found and required:
            columns = shorten(self._table.columns, 30)
            msg = f"no column of {self._table.source} is known to hold the {role}; say which with --{role}: {columns}"
            raise TableError(msg)
        if not found:
            return None
        self._free.remove(found[0])
        if found[0] != role:
            self._notes.append(f"Column {found[0]!r} was taken as the {role}.")
        return found[0]

    def _check_named(self, given: Iterable[str | None]) -> None:
        """Check that the columns named by the caller exist and have one role each."""
        roles: dict[str, str] = {}
        for role, name in zip(KNOWN_NAMES, given, strict=True):
            if name is None:
                continue
            if name not in self._table.columns:
                raise TableError(self._no_column(name, f"--{role}"))
            if name in roles:
                msg = f"column {name!r} is named for --{roles[name]} and for --{role}; give each a column of its own"
                raise TableError(msg)
            roles[name] = role

    def _no_column(self, name: str, option: str) -> str:
        columns = self._table.columns
        lower = {column.lower(): column for column in columns}
        near = [lower[match] for match in get_close_matches(name.lower(), lower, n=3)]
        meant = f"; did you mean {shorten(near)}?" if near else ";"
        return f"{self._table.source} has no column {name!r} ({option}){meant} its columns are {shorten(columns, 30)}"


def names_known(role: str, columns: Iterable[str]) -> list[str]:
    """Return those of ``columns`` whose name is known for ``role``."""
    return [name for name in columns if _simple(name) in KNOWN_NAMES[role].split()]


def _simple(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
