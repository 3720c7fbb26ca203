"""Functions of the user's own are those of the folder that is asked, whatever was loaded before."""

from pathlib import Path

from dialgauge.errors import StudyError
from dialgauge.io.loading import load_named


def put(folder: Path, says: str) -> Path:
    folder.mkdir()
    (folder / "own_twice_named.py").write_text(f"def reply():\n    return {says!r}\n", encoding="utf-8")
    return folder


def test_two_folders_may_each_have_a_module_of_one_name(tmp_path: Path) -> None:
    folders = {says: put(tmp_path / says, says) for says in ("first", "second")}
    loaded = {
        says: load_named("own_twice_named:reply", what="rater", error=StudyError, folder=folder)
        for says, folder in folders.items()
    }
    assert {says: function() for says, function in loaded.items()} == {"first": "first", "second": "second"}


def test_a_module_that_is_loaded_already_is_not_run_again(tmp_path: Path) -> None:
    folder = put(tmp_path / "one", "one")
    first, again = (
        load_named("own_twice_named:reply", what="rater", error=StudyError, folder=folder) for _ in range(2)
    )
    assert first is again
