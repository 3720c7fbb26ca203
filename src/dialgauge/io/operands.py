"""Comparisons between columns and literals in a row filter, with the types checked against the cells."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.cells import as_numbers, is_missing
from dialgauge.io.table import Table
from dialgauge.io.words import clip

ORDERINGS = {"<", "<=", ">", ">="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a condition names."""

    name: str


Operand = Column | float | str


def number(text: str, position: int) -> float:
    """Return the number that a token stands for; TableError when it is a whole number too long to be exact."""
    value = float(text)
    if text.lstrip("+-").isdigit() and abs(int(text)) > _EXACT:
        msg = (
            f"the number {clip(text)} at position {position} of the condition is too long to compare; put it in quotes"
        )
        raise TableError(msg)
    return value


def compare(table: Table, left: Operand, sign: str, right: Operand) -> pl.Expr:
    """Return the comparison of two operands, one of them a column, as an expression that is null on empty cells."""
    if not isinstance(left, Column):
        left, sign, right = right, _MIRRORED.get(sign, sign), left
    if not isinstance(left, Column):
        msg = f"a comparison in the condition names no column ({right!r} {sign} {left!r}); name one on either side"
        raise TableError(msg)
    if isinstance(right, Column):
        if _are_numbers(table, left.name) and _are_numbers(table, right.name):
            return _apply(_number(table, left.name), sign, _number(table, right.name))
        return _apply(_text(table, left.name, sign), sign, _text(table, right.name, sign))
    if isinstance(right, str):
        return _apply(_text(table, left.name, sign), sign, pl.lit(right))
    return _apply(_number(table, left.name), sign, pl.lit(right))


def contains(table: Table, column: str, values: Sequence[float | str]) -> pl.Expr:
    """Return whether the cell of ``column`` is one of ``values``, all numbers or all texts; null on empty cells."""
    texts = [value for value in values if isinstance(value, str)]
    if not texts:
        return _number(table, column).is_in(list(values))
    if len(texts) < len(values):
        msg = f"the list for column {column!r} in the condition mixes numbers and texts; use one kind"
        raise TableError(msg)
    return _text(table, column, "==").is_in(texts)


def is_null(table: Table, column: str) -> pl.Expr:
    """Return whether the cell of ``column`` is empty: null, NaN, blank, NA or N/A."""
    return is_missing(column, table.frame.schema[column])


def _apply(left: pl.Expr, sign: str, right: pl.Expr) -> pl.Expr:
    match sign:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case _:
            return left >= right


def _are_numbers(table: Table, column: str) -> bool:
    return as_numbers(table.frame[column]) is not None


def _number(table: Table, column: str) -> pl.Expr:
    """Return the column as numbers; TableError when it holds text."""
    numbers = as_numbers(table.frame[column])
    if numbers is None:
        texts = table.frame[column].cast(pl.String, strict=False).drop_nulls()
        words = texts.filter(texts.str.strip_chars().cast(pl.Float64, strict=False).is_null() & (texts != ""))
        shown = f", such as {clip(words[0])!r}" if len(words) else ""
        msg = (
            f"column {column!r} holds text{shown}, and the condition compares it with a number; put the value in quotes"
        )
        raise TableError(msg)
    return pl.lit(numbers)


def _text(table: Table, column: str, sign: str) -> pl.Expr:
    """Return the column as text; TableError when it holds numbers and text would give them another order."""
    dtype = table.frame.schema[column]
    if dtype.is_float() or dtype.is_nested() or (sign in ORDERINGS and _are_numbers(table, column)):
        kind = "lists or records" if dtype.is_nested() else "numbers"
        msg = (
            f"column {column!r} holds {kind}, and the condition compares it with text; write the number without quotes"
        )
        raise TableError(msg)
    text = pl.col(column).cast(pl.String)
    return pl.when(text != "").then(text)
