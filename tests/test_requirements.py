"""The locked requirements: complete, in step with each other, and tied to no place."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = {name: (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8") for name in ("run", "setup", "dev")}

PIN = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ;[^\\]*)? \\\n(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+",
    re.MULTILINE,
)


def pins(lock: str) -> dict[str, str]:
    return {pin["name"]: pin["version"] for pin in PIN.finditer(LOCKS[lock])}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_pins_with_hashes_and_comments_only(lock: str) -> None:
    rest = [line for line in PIN.sub("", LOCKS[lock]).splitlines() if not line.lstrip().startswith("#")]
    assert pins(lock)
    assert rest == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_package_index_and_no_folder(lock: str) -> None:
    assert re.findall(r"\S*(?:://|--index|--find-links|\s/\w)\S*", LOCKS[lock]) == []


def test_what_the_package_asks_for_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[^a-z0-9-]", wish.lower())[0] for wish in project["dependencies"]}
    assert wanted <= set(pins("run"))


def test_the_three_locks_share_their_pins() -> None:
    assert pins("run").items() <= pins("dev").items()
    assert pins("setup").items() <= pins("dev").items()
