"""The package as a whole: its names, its weight, its version."""

import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import dialgauge

ROOT = Path(__file__).parents[1]

PUBLIC = (
    "CannotEstimateError",
    "ConsistencyError",
    "Design",
    "DialgaugeError",
    "Dimension",
    "DimensionReliability",
    "DuplicateRatingsError",
    "Estimate",
    "InputError",
    "Instrument",
    "InstrumentError",
    "OffScaleError",
    "PlanReport",
    "Question",
    "Ratings",
    "RefusedDimension",
    "Refusal",
    "Reliability",
    "ReliabilityReport",
    "Scale",
    "TableError",
    "VarianceComponents",
    "__version__",
    "available_instruments",
    "from_frame",
    "load_instrument",
    "plan",
    "read_ratings",
    "reliability",
)

HEAVY = {"altair", "narwhals", "numpy", "pandas", "polars", "pydantic", "rich", "scipy", "typer", "vl_convert"}


def test_the_public_names_are_these() -> None:
    assert sorted(dialgauge.__all__) == sorted(PUBLIC)
    assert len(PUBLIC) <= 35


def test_every_public_name_can_be_had_and_is_documented() -> None:
    undocumented = [name for name in PUBLIC if name != "__version__" and not getattr(dialgauge, name).__doc__]
    assert undocumented == []


def test_dir_shows_the_public_names_and_no_others() -> None:
    assert {name for name in dir(dialgauge) if not name.startswith("__")} == set(PUBLIC) - {"__version__"}
    assert {"__version__", "__doc__", "__all__"} <= set(dir(dialgauge))


def test_importing_dialgauge_loads_no_heavy_library() -> None:
    code = "import sys, dialgauge; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert HEAVY & set(loaded.split()) == set()


def test_the_version_stands_in_pyproject_alone() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert importlib.metadata.version("dialgauge") == version
    repeated = [path for path in (ROOT / "src").rglob("*.py") if f'"{version}"' in path.read_text(encoding="utf-8")]
    assert repeated == []
