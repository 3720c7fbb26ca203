"""The code blocks of README.md and docs/ are run, in order, each page in a folder of its own.

=================  ===================================================================================================
fence              what is done with it
=================  ===================================================================================================
``console``        each line after ``$ `` is a command; the lines below it, if any, are what it prints. ``...`` stands
                   for any text, on a line of its own for any lines. The command must end with 0, unless
                   ``<!-- exits with 2 -->`` stands above the fence: then its last command ends so
``bash``           run as a script, which must end with 0
``python``         run; names stay for the next block of the page. A fence ``text output`` after it is what it prints
``csv NAME``       written to the file NAME; the same for ``json``, ``jsonl`` and ``toml``
any other          shown only
=================  ===================================================================================================

``<!-- not run: reason -->`` above a fence exempts it; the reason is listed at the end of the test run.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>.*)$")
COMMENT = re.compile(r"^ *<!-- (?P<what>not run: |exits with )(?P<value>.+) -->$")
RUN = {"bash", "console", "python"}
FILES = {"csv", "json", "jsonl", "toml"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the ``place`` is its page and the line of its fence, the ``info`` what stands on the fence."""

    page: Path
    line: int
    info: tuple[str, ...]
    text: str
    exempt: str = ""
    exits: int = 0

    @property
    def place(self) -> str:
        return f"{name_of(self.page)}:{self.line}"

    @property
    def language(self) -> str:
        return self.info[0] if self.info else ""


def name_of(page: Path) -> str:
    """Return the name of a page as seen from the root."""
    return str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name


def blocks_of(page: Path) -> Iterator[Block]:
    """Read the fenced blocks of a page, in order."""
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), start=1))
    said: dict[str, str] = {}
    for number, line in lines:
        if comment := COMMENT.match(line):
            said[comment["what"].strip()] = comment["value"]
        elif fence := FENCE.match(line):
            indent, body = len(fence["indent"]), []
            for _, inner in lines:
                if inner.strip() == "```":
                    break
                body.append(inner[indent:] + "\n")
            else:
                pytest.fail(f"{name_of(page)}:{number}: the fence is never closed")
            exempt, exits = said.get("not run:", ""), int(said.get("exits with", "0"))
            yield Block(page, number, tuple(fence["info"].split()), "".join(body), exempt, exits)
            said = {}
        elif line.strip():
            said = {}


BLOCKS = {page: list(blocks_of(page)) for page in PAGES}
EXEMPT = [block for blocks in BLOCKS.values() for block in blocks if block.exempt]


class Reader:
    """Does what a page says, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.printed = ""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = os.environ | {"PATH": path, "HOME": str(folder), "COLUMNS": "120", "NO_COLOR": "1"}

    def follow(self, block: Block) -> None:
        """Do what one block says."""
        if block.language == "console":
            self._console(block)
        elif block.language == "bash":
            status, printed = self._shell(f"set -euo pipefail\n{block.text}")
            assert status == 0, f"{block.place} ends with {status}:\n{printed}"
        elif block.language == "python":
            out = io.StringIO()
            code = compile("\n" * block.line + block.text, str(block.page), "exec")
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(out):
                exec(code, self.names)  # noqa: S102 (the project's own pages)
            self.printed = out.getvalue()
        elif block.info == ("text", "output"):
            compare(self.printed, block.text, f"{block.place}: the block above")
        elif block.language in FILES and len(block.info) == 2:
            (self.folder / Path(block.info[1]).name).write_text(block.text, encoding="utf-8")

    def _console(self, block: Block) -> None:
        commands = list(commands_of(block))
        for index, (command, expected) in enumerate(commands, start=1):
            status, printed = self._shell(command)
            due = block.exits if index == len(commands) else 0
            assert status == due, f"{block.place}: {command!r} ends with {status}, not {due}:\n{printed}"
            if expected:
                compare(printed, expected, f"{block.place}: {command!r}")

    def _shell(self, script: str) -> tuple[int, str]:
        run = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return run.returncode, run.stdout


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """Split a console block into commands, each with the output that is shown for it."""
    head, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not head.strip(), f"{block.place} begins without a command: {head!r}"
    for part in parts:
        command = re.match(r"(?:.*\\\n)*.*", part)
        assert command is not None
        yield command[0], part[command.end() :].strip("\n")


def compare(printed: str, expected: str, what: str) -> None:
    """Hold what was printed against what the page shows."""
    got, want = ("\n".join(line.rstrip() for line in text.strip("\n").splitlines()) for text in (printed, expected))
    if not re.fullmatch(pattern_of(want), got + "\n"):
        assert got == want, f"{what} prints something else"


def pattern_of(expected: str) -> str:
    """Return the regular expression for an output with ``...`` in it."""
    lines = [
        r"(?:[^\n]*\n)*?" if line.strip() == "..." else r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in expected.splitlines()
    ]
    return "".join(lines)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for block in BLOCKS[page]:
        if not block.exempt:
            reader.follow(block)


@pytest.mark.parametrize("block", EXEMPT, ids=lambda block: block.place)
def test_a_block_that_is_not_run_says_why(block: Block) -> None:
    assert block.language in RUN, f"{block.place}: {block.language!r} is never run, so it needs no exemption"
    pytest.skip(f"not run: {block.exempt}")


def test_every_fence_names_its_language() -> None:
    nameless = [block.place for blocks in BLOCKS.values() for block in blocks if not block.language]
    assert nameless == []


@pytest.mark.parametrize("shown", ["a 1\nb 2\nc 3", "...\nc 3", "a ...\nb 2\n...", "a 1  \n...\nb ...\nc 3\n"])
def test_dots_stand_for_any_text(shown: str) -> None:
    compare("a 1\nb 2\nc 3\n", shown, "a page")


@pytest.mark.parametrize("shown", ["a 1", "...\nb 2", "a 1\n...\nc 4", "a 1\nb 2...c 3", "b ...\n..."])
def test_an_output_that_differs_is_found(shown: str) -> None:
    with pytest.raises(AssertionError, match="prints something else"):
        compare("a 1\nb 2\nc 3\n", shown, "a page")


@pytest.mark.parametrize(
    ("fence", "wrong"),
    [
        ("```console\n$ false\n```", "ends with 1, not 0"),
        ("<!-- exits with 3 -->\n```console\n$ true\n```", "ends with 0, not 3"),
        ("```console\n$ echo here\nthere\n```", "prints something else"),
        ("```bash\nfalse\ntrue\n```", "ends with 1"),
        ("```python\nassert 1 + 1 == 3, 'no'\n```", "no"),
        ("```python\nprint('here')\n```\n```text output\nthere\n```", "prints something else"),
    ],
)
def test_a_block_that_does_not_do_what_it_shows_is_found(fence: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=wrong):
        follow(fence, tmp_path)


def test_blocks_of_a_page_share_files_and_names(tmp_path: Path) -> None:
    page = """\
```csv made.csv
a,b
```
  ```console
  $ cat made.csv \\
      made.csv
  a,b
  a,b
  ```
<!-- exits with 2 -->
```console
$ true
$ exit 2
```
```python
from pathlib import Path
text = Path("made.csv").read_text()
```
```python
print(text)
```
```text output
a,b
```
"""
    follow(page, tmp_path)


def follow(text: str, folder: Path) -> None:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    reader = Reader(folder)
    for block in blocks_of(page):
        reader.follow(block)
