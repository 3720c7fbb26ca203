"""The source of a function of the user's own, as far as it can be told without running anything."""

import ast
import hashlib
import importlib
import sys
import tokenize
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path


def hash_source(spec: str, *, folder: Path, group: str | None = None) -> str | None:
    """Return the SHA-256 of what the function or class ``spec``, ``module:name``, consists of; None where unknown.

    With a ``group`` it may be an entry point of that. What counts is the text of its definition and of all that it
    refers to by name at the top of its module, and whole modules in ``folder`` that it imports. Comments, blank lines
    and what else stands in the module do not count. Packages that it uses are not looked into, and nothing is imported.
    """
    if ":" not in spec and group is not None:
        spec = next((point.value for point in entry_points(group=group) if point.name == spec), "")
    module, _, path = spec.partition(":")
    file = _find(module, folder)
    if file is None:
        return None
    try:
        parts = [*_parts(file, path.split(".")[0].split("[")[0].strip(), folder)]
    except (OSError, SyntaxError, ValueError):
        return None
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest() if parts else None


def _find(module: str, folder: Path) -> Path | None:
    """Return the file of a module, those in ``folder`` first."""
    importlib.invalidate_caches()
    places = [str(folder.resolve()), *sys.path]
    spec = None
    for name in module.split("."):
        spec = PathFinder.find_spec(name, places)
        if spec is None:
            return None
        places = list(spec.submodule_search_locations or ())
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin)


def _parts(file: Path, name: str, folder: Path) -> Iterator[str]:
    """Yield the statements at the top of ``file`` that ``name`` rests on, in their order, and modules of the user's."""
    text = _read(file)
    tree = ast.parse(text)
    binds = [(statement, _bound(statement)) for statement in tree.body]
    wanted, reached = {name}, set[ast.stmt]()
    while found := [one for one, names in binds if one not in reached and names & wanted]:
        reached.update(found)
        wanted |= {node.id for one in found for node in ast.walk(one) if isinstance(node, ast.Name)}
    imported = sorted({module for one in reached for node in ast.walk(one) for module in _imported(node)})
    yield from (_text_of(one, text.splitlines()) for one in tree.body if one in reached)
    for module in imported:
        own = _find(module, folder)
        if own is not None and own.is_relative_to(folder.resolve()) and "site-packages" not in own.parts:
            yield _bare(_read(own).splitlines())


def _read(file: Path) -> str:
    with tokenize.open(file) as stream:
        return stream.read()


def _text_of(statement: ast.stmt, lines: Sequence[str]) -> str:
    """Return the lines of a statement with those of its decorators."""
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    first = min([statement.lineno, *(node.lineno for node in decorators)])
    return _bare(lines[first - 1 : statement.end_lineno])


def _bare(lines: Sequence[str]) -> str:
    """Leave out blank lines and comments."""
    return "\n".join(line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement gives a meaning to."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def _imported(statement: ast.AST) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [statement.module] if isinstance(statement, ast.ImportFrom) and statement.module else []
