"""Repeated measurement at the size of a published study: processor seconds and peak memory.

python bench/bench_retest.py [--small]
"""

import argparse
import os
import resource
import tempfile
from pathlib import Path

from clock import ONE_THREAD, Row, cpu

os.environ.update(ONE_THREAD)  # before NumPy is loaded

from dialgauge.analyse.retest import analyse_retest
from dialgauge.io import read_ratings, write_long
from dialgauge.model import Level, Ratings
from dialgauge.report.retest.page import render_retest_page
from dialgauge.simulate.retest import RepeatProfile, generate_retest_study

LEVELS: tuple[Level, ...] = ("interval", "interval", "ordinal", "binary", "nominal")
GROUPS = 10


def study(n_dimensions: int, n_targets: int, missing_share: float) -> Ratings:
    """Return ratings of three raters in four replicates; half of the dimensions are excellent."""
    profiles = [
        RepeatProfile(f"dimension_{i:03d}", f"group {i % GROUPS}", 0.97 if i % 2 else 0.6, LEVELS[i % len(LEVELS)])
        for i in range(n_dimensions)
    ]
    return generate_retest_study(profiles, seed=1, n_targets=n_targets, missing_share=missing_share)


def peak() -> str:
    """Return the most memory that this process has held."""
    return f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB"


def through_a_file(ratings: Ratings) -> Row:
    """Time the reading of the same ratings from a CSV file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        write_long(ratings, path)
        seconds = cpu(lambda: read_ratings(path, instrument=ratings.instrument), times=1, warm=False)
    return Row(f"read {ratings.frame.height:,} ratings from a CSV file", seconds, peak())


def main(*, small: bool) -> None:
    """Print a line per job."""
    sizes = (12, 40) if small else (213, 552)
    for missing in (0.0, 0.02, 0.08):
        ratings = study(*sizes, missing)
        name = f"retest, {ratings.frame.height:,} ratings, {missing:.0%} missing"
        seconds = cpu(lambda r=ratings: analyse_retest(r), times=1, warm=False)  # type: ignore[misc]
        print(Row(name, seconds, peak()), flush=True)
        every = cpu(lambda r=ratings: analyse_retest(r, agreement_on="all"), times=1, warm=False)  # type: ignore[misc]
        print(Row(f"{name}, agreement on all", every, peak()), flush=True)
    print(through_a_file(ratings), flush=True)
    analysis = analyse_retest(ratings)
    print(Row("page", cpu(lambda: render_retest_page(analysis), times=1, warm=False), peak()), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="small tables: a check that it runs")
    print("seconds of processor time (user and system), one thread")
    main(small=parser.parse_args().small)
