"""Output files: whole or not at all."""

import os
from pathlib import Path

import pytest

from dialgauge.errors import InputError
from dialgauge.report.files import check_outputs, write_whole


def test_text_is_written_as_utf_8_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "größe\n")
    assert (tmp_path / "a.txt").read_bytes() == "größe\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError, match=r"a.txt cannot be written \(No space left on device\); choose a file"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_whole("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    read, write = os.pipe()
    path = f"/dev/fd/{write}"
    check_outputs([path])
    write_whole(path, "through")
    os.close(write)
    assert os.read(read, 99) == b"through"
    os.close(read)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        check_outputs([tmp_path / "none" / "a.csv"])
    with pytest.raises(InputError, match=r"a.csv cannot be written \(No such file or directory\)"):
        write_whole(tmp_path / "none" / "a.csv", "")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder"):
        check_outputs([tmp_path])


def test_the_ratings_are_never_replaced(tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("a")
    (tmp_path / "same.csv").symlink_to(ratings)
    for path in (ratings, tmp_path / "." / "ratings.csv", tmp_path / "same.csv"):
        with pytest.raises(InputError, match="would replace the ratings; give it a name of its own"):
            check_outputs([path], source=ratings)


def test_two_outputs_need_two_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="would replace another output"):
        check_outputs([tmp_path / "a", tmp_path / "a"], source=tmp_path / "ratings.csv")


def test_outputs_that_can_be_written_pass(tmp_path: Path) -> None:
    check_outputs([tmp_path / "a", tmp_path / "b", "/dev/null", "/dev/null"], source=tmp_path / "ratings.csv")
