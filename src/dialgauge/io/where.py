"""The row filter: a small expression language, read into a Polars expression and never evaluated as code.

::

    condition  = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation   = "not" negation | "(" condition ")" | comparison
    comparison = operand ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) operand
               | column [ "not" ] "in" "[" literal { "," literal } "]"      (or round brackets)
               | column "is" [ "not" ] "null"
    operand    = column | literal
    literal    = number | "text" | 'text'
    column     = name | `name with blanks`

A condition on an empty cell is neither true nor false, and the row is left out, unless ``is null`` asks for it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.operands import Column, Operand, compare, contains, is_null, number
from dialgauge.io.table import Table
from dialgauge.io.words import clip, shorten

LONGEST = 20_000
DEEPEST = 50

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<text>"[^"]*"|'[^']*')
    | (?P<ticked>`[^`]+`)
    | (?P<word>[^\W\d][\w.]*)
    | (?P<sign>==|!=|<=|>=|<|>|\(|\)|\[|\]|,)
    )""",
    re.VERBOSE,
)
_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_KEYWORDS = {"and", "or", "not", "in", "is", "null"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int


def filter_rows(table: Table, where: str) -> Table:
    """Return the rows of ``table`` for which the condition ``where`` is true, with a note on how many were kept.

    Raises TableError, with the position of the trouble, when the condition cannot be read, names a column that does
    not exist or compares text with a number; and when it keeps no row.
    """
    try:
        mask = table.frame.select(compile_where(where, table).alias("mask"))["mask"]
    except pl.exceptions.PolarsError as error:
        msg = f"the condition {clip(where)!r} cannot be applied to {table.source}: {' '.join(str(error).split())[:200]}"
        raise TableError(msg) from None
    kept = table.frame.filter(mask)
    n_all, n_unknown = table.frame.height, mask.null_count()
    if not kept.height:
        msg = f"the condition {clip(where)!r} keeps none of the {n_all:,} rows of {table.source}; check its values"
        raise TableError(msg)
    note = f"The condition {where!r} kept {kept.height:,} of {n_all:,} rows and left out {n_all - kept.height:,}"
    note += f" ({n_unknown:,} of them because a cell it asks about is empty)." if n_unknown else "."
    return Table(frame=kept, source=table.source, notes=(*table.notes, note))


def compile_where(where: str, table: Table) -> pl.Expr:
    """Read ``where`` into an expression on the columns of ``table`` that is true, false or null for each row."""
    if len(where) > LONGEST:
        msg = f"the condition has {len(where):,} characters; at most {LONGEST:,} are read"
        raise TableError(msg)
    return _Parser(where, table).parse()


def _split(where: str) -> list[_Token]:
    """Cut the condition into tokens; positions count characters from 1."""
    tokens, at = [], 0
    while at < len(where.rstrip()):
        match = _TOKEN.match(where, at)
        if match is None or match.lastgroup is None:
            start = at + len(where[at:]) - len(where[at:].lstrip())
            hint = "equality is ==" if where[start] == "=" else "quote text, and put unusual column names in backticks"
            msg = f"cannot read {clip(where[start:], 20)!r} at position {start + 1} of the condition; {hint}"
            raise TableError(msg)
        kind = match.lastgroup
        tokens.append(_Token(kind, match[kind], match.start(kind) + 1))
        at = match.end()
    tokens.append(_Token("end", "the end", len(where) + 1))
    return tokens


class _Parser:
    """Recursive descent over the tokens of one condition."""

    def __init__(self, where: str, table: Table) -> None:
        self._tokens = _split(where)
        self._table = table
        self._at = 0
        self._depth = 0

    def parse(self) -> pl.Expr:
        expression = self._condition()
        if self._peek().kind != "end":
            self._fail("'and', 'or' or the end")
        return expression

    def _condition(self) -> pl.Expr:
        return self._chain("or", self._conjunction, pl.any_horizontal)

    def _conjunction(self) -> pl.Expr:
        return self._chain("and", self._negation, pl.all_horizontal)

    def _chain(self, word: str, part: Callable[[], pl.Expr], join: Callable[[list[pl.Expr]], pl.Expr]) -> pl.Expr:
        parts = [part()]
        while self._take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else join(parts)

    def _negation(self) -> pl.Expr:
        if not (self._is("not") or self._is("(")):
            return self._comparison()
        self._depth += 1
        if self._depth > DEEPEST:
            msg = f"the condition is nested more than {DEEPEST} deep at position {self._peek().position}; simplify it"
            raise TableError(msg)
        if self._take("not"):
            expression = self._negation().not_()
        else:
            self._next()
            expression = self._condition()
            self._expect(")")
        self._depth -= 1
        return expression

    def _comparison(self) -> pl.Expr:
        left = self._operand()
        if isinstance(left, Column):
            if self._take("is"):
                negated = self._take("not")
                self._expect("null")
                return self._negate(is_null(self._table, left.name), negated=negated)
            negated = self._take("not")
            if negated or self._is("in"):
                self._expect("in")
                return self._negate(contains(self._table, left.name, self._list()), negated=negated)
        if self._peek().text not in _COMPARISONS:
            self._fail("a comparison (== != < <= > >=, in [...], is null)")
        sign = self._next().text
        return compare(self._table, left, sign, self._operand())

    @staticmethod
    def _negate(expression: pl.Expr, *, negated: bool) -> pl.Expr:
        return expression.not_() if negated else expression

    def _operand(self) -> Operand:
        token = self._peek()
        if token.kind != "ticked" and (token.kind != "word" or token.text.lower() in _KEYWORDS):
            return self._literal("a column, a number or a text in quotes")
        name = self._next().text.strip("`")
        if name not in self._table.columns:
            known = shorten(self._table.columns, 30)
            msg = f"no column {name!r} (position {token.position} of the condition); the columns are {known}"
            raise TableError(msg)
        return Column(name)

    def _literal(self, wanted: str = "a number or a text in quotes") -> float | str:
        token = self._peek()
        if token.kind not in {"number", "text"}:
            self._fail(wanted)
        self._next()
        return number(token.text, token.position) if token.kind == "number" else token.text[1:-1]

    def _list(self) -> list[float | str]:
        closing = ")" if self._take("(") else "]"
        if closing == "]":
            self._expect("[")
        values = [self._literal()]
        while self._take(","):
            values.append(self._literal())
        self._expect(closing)
        return values

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _next(self) -> _Token:
        token = self._tokens[self._at]
        self._at += token.kind != "end"
        return token

    def _is(self, text: str) -> bool:
        token = self._peek()
        return token.kind in {"word", "sign"} and token.text.lower() == text

    def _take(self, text: str) -> bool:
        found = self._is(text)
        self._at += found
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            self._fail(repr(text))

    def _fail(self, wanted: str) -> NoReturn:
        token = self._peek()
        found = token.text if token.kind == "end" else repr(clip(token.text, 20))
        msg = f"found {found} at position {token.position} of the condition where {wanted} is expected"
        msg += f"; the columns are {shorten(self._table.columns, 30)}"
        raise TableError(msg)
