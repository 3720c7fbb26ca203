"""Read a file into a `Table`: CSV and TSV, JSON lines, Parquet."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import TextIO

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.table import Table, check_header, from_records, number_rows
from dialgauge.io.words import count

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")

_CHUNK = 65_536
_LINE_END = re.compile(r"\r\n|\r|\n")
_FOREIGN = {
    b"PK\x03\x04": "an Excel workbook or another zip archive; save the sheet as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV (UTF-8)",
    b"\xff\xfe": "in UTF-16; save it as CSV (UTF-8)",
    b"\xfe\xff": "in UTF-16; save it as CSV (UTF-8)",
    b"\x1f\x8b": "compressed; unpack it first",
    b"PAR1": "a Parquet file; give it the suffix .parquet",
}


def read_table(path: str | Path) -> Table:
    """Read the file at ``path`` by its suffix; cells of text files stay text.

    The delimiter of a CSV file (comma, semicolon, tab) is told from its first two records. Raises TableError, naming
    the line where there is one, for a missing, empty, binary or wrongly encoded file, two columns of one name, and a
    row that has more or fewer fields than the header.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES and file.is_dir():
        msg = f"{file} is a folder without a study.toml; give a table of ratings, or the folder of a study"
        raise TableError(msg)
    if suffix not in SUFFIXES:
        msg = f"{file} has the suffix {suffix or '(none)'!r}; tables are read from {', '.join(SUFFIXES)}"
        raise TableError(msg)
    _check_file(file, text=suffix != ".parquet")
    try:
        if suffix == ".parquet":
            table = _read_parquet(file)
        elif suffix in {".jsonl", ".ndjson"}:
            table = _read_json_lines(file)
        else:
            table = _read_separated(file, "\t" if suffix == ".tsv" else None)
    except UnicodeDecodeError as error:
        raise TableError(_undecodable(file, error)) from None
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); check its permissions"
        raise TableError(msg) from None
    if not table.frame.height:
        msg = f"{file} has no rows below its header; a table of ratings has at least one"
        raise TableError(msg)
    return table


def _check_file(file: Path, *, text: bool) -> None:
    """Refuse what is plainly no table."""
    if not file.exists():
        msg = f"there is no file {file}; check the path"
        raise TableError(msg)
    if not file.is_file():
        msg = f"{file} is not a file; give the path of one table"
        raise TableError(msg)
    try:
        with file.open("rb") as stream:
            head = stream.read(8192)
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); check its permissions"
        raise TableError(msg) from None
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        msg = f"{file} is empty; a table has a header and rows"
        raise TableError(msg)
    if not text:
        return
    for signature, sentence in _FOREIGN.items():
        if head.startswith(signature):
            msg = f"{file} is {sentence}"
            raise TableError(msg)
    if b"\0" in head:
        msg = f"{file} is a binary file; give a table as text (UTF-8) or as .parquet"
        raise TableError(msg)


def _read_parquet(file: Path) -> Table:
    try:
        frame = pl.read_parquet(file)
    except pl.exceptions.PolarsError as error:
        msg = f"{file} cannot be read as Parquet ({_one_line(error)}); write it again, or give a CSV file"
        raise TableError(msg) from None
    return Table(frame=number_rows(frame), source=str(file))


def _read_json_lines(file: Path) -> Table:
    records, lines = [], []
    with file.open(encoding="utf-8-sig") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                problem = (
                    f"{error.msg}, column {error.colno}"
                    if isinstance(error, json.JSONDecodeError)
                    else _one_line(error)
                )
                msg = f"line {number} of {file} is not JSON ({problem}); each line holds one object"
                raise TableError(msg) from None
            if not isinstance(record, dict):
                msg = f"line {number} of {file} holds no JSON object; write each rating as {{...}}, one a line"
                raise TableError(msg)
            records.append(record)
            lines.append(number)
    return Table(frame=number_rows(from_records(records), lines), source=str(file))


def _read_separated(file: Path, delimiter: str | None) -> Table:
    """Read a CSV or TSV file."""
    sign = delimiter or _sniff(file)
    with file.open(encoding="utf-8-sig", newline="") as stream:
        chunks = _chunks(stream, sign, file)
        lines, records = next(chunks)
        header = [name.strip() for name in records[0]]
        named = [name for name in header if name]
        if not named:
            msg = f"the first line of {file} names no column; a table begins with a header"
            raise TableError(msg)
        check_header(named, str(file))
        parts = [_stack(lines[1:], records[1:], header, file)]
        parts.extend(_stack(lines, records, header, file) for lines, records in chunks)
    frame = pl.concat(parts)
    filled = frame.filter(pl.any_horizontal(pl.col(named) != ""))
    notes = []
    if filled.height < frame.height:
        notes.append(f"Left out: {count(frame.height - filled.height, 'row')} without any entry.")
    if len(named) < len(header):
        notes.append(f"Left out: {count(len(header) - len(named), 'column')} without a name.")
    return Table(frame=filled, source=str(file), notes=tuple(notes))


def _sniff(file: Path) -> str:
    """Return the delimiter that splits the first two records into the same and largest number of fields."""
    best, most = ",", (False, 1)
    for sign in ",;\t":
        with file.open(encoding="utf-8-sig", newline="") as stream:
            try:
                head = list(islice((r for r in csv.reader(stream, delimiter=sign) if r), 2))
            except csv.Error:
                continue
        widths = [len(record) for record in head]
        mark = (len(set(widths)) == 1, max(widths, default=1))
        if mark[1] > 1 and mark > most:
            best, most = sign, mark
    return best


def _chunks(stream: TextIO, delimiter: str, file: Path) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
    """Yield the records, many at a time, with the line on which each begins; blank lines are passed over."""
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    while True:
        before = reader.line_num
        records: list[list[str]] = []
        try:
            records.extend(islice(reader, _CHUNK))
        except csv.Error as error:
            line = _starts(records, before)[-1]
            msg = f"line {line} of {file} cannot be split into fields ({error}); check its quotation marks"
            if "field limit" in str(error):
                msg += f", or leave out the column with texts of more than {csv.field_size_limit():,} characters"
            raise TableError(msg) from None
        if not records:
            return
        if reader.line_num - before == len(records) and all(records):
            yield range(before + 1, reader.line_num + 1), records
            continue
        starts = _starts(records, before)
        filled = [(line, record) for line, record in zip(starts, records, strict=False) if record]
        if filled:
            yield [line for line, _ in filled], [record for _, record in filled]


def _starts(records: list[list[str]], before: int) -> list[int]:
    """Return the line on which each record begins, and that of the one after them; cells may span lines."""
    spans = (1 + sum(len(_LINE_END.findall(cell)) for cell in record) for record in records)
    return list(accumulate(spans, initial=before + 1))


def _stack(lines: Sequence[int], records: list[list[str]], header: list[str], file: Path) -> pl.DataFrame:
    """Turn records into columns of text, with their lines; columns without a name are left out."""
    if any(len(record) != len(header) for record in records):
        line, record = next(pair for pair in zip(lines, records, strict=True) if len(pair[1]) != len(header))
        msg = (
            f"line {line} of {file} has {len(record)} fields where the header has {len(header)}; "
            "complete that line, or put quotation marks around cells that hold the delimiter"
        )
        raise TableError(msg)
    cells = zip(*records, strict=True) if records else [()] * len(header)
    columns = [pl.Series(name, cell, dtype=pl.String) for name, cell in zip(header, cells, strict=True) if name]
    return number_rows(pl.DataFrame(columns), lines)


def _undecodable(file: Path, error: UnicodeDecodeError) -> str:
    """Say which byte on which line is not UTF-8: ``error`` only knows its place in a part of the file."""
    content = file.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as found:
        error = found
    line = content.count(b"\n", 0, error.start) + 1
    return f"{file} is not UTF-8 text (byte 0x{error.object[error.start]:02x} on line {line}); save it again as UTF-8"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
