"""The kind of a design is read off who rated what."""

import numpy as np
import pytest

from dialgauge.stats.design import Kind, detect

COMPLETE = [(t, r) for t in range(4) for r in range(3)]


@pytest.mark.parametrize(
    ("pairs", "kind"),
    [
        (COMPLETE, "complete"),
        (COMPLETE[:-1], "sparse_crossed"),
        ([*COMPLETE, (0, 0)], "replicated"),
        ([(t, 3 * t + r) for t in range(4) for r in range(3)], "nested"),
        ([(t, r) for t in range(2) for r in range(3)] + [(t, r) for t in (2, 3) for r in (3, 4)], "disconnected"),
        ([(t, t % 3) for t in range(5)], "unidentified"),
        ([(0, r) for r in range(5)], "unidentified"),
    ],
)
def test_kind(pairs: list[tuple[int, int]], kind: Kind) -> None:
    target, rater = np.array(pairs).T
    assert detect(target, rater).kind == kind


def test_counts_and_harmonic_means() -> None:
    target, rater = np.array([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 2), (7, 1)]).T
    design = detect(target, rater)
    assert (design.n_targets, design.n_raters, design.n_ratings, design.n_cells) == (3, 3, 7, 6)
    assert design.n_informative == 2
    assert design.k_harmonic == pytest.approx(3 / (1 / 2 + 1 / 3 + 1))
    assert design.replicates_harmonic == pytest.approx(6 / 5.5)
    assert (design.k_min, design.k_max, design.replicates_max) == (1, 3, 2)


def test_connected_only_when_every_target_can_be_reached() -> None:
    apart = detect(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]))
    assert apart.n_components == 2
    assert not apart.connected


def test_fewer_than_six_raters_are_few() -> None:
    assert detect(*np.array(COMPLETE).T).few_raters
    assert not detect(*np.array([(t, r) for t in range(3) for r in range(6)]).T).few_raters


def test_no_ratings_at_all_are_described_and_not_an_error() -> None:
    empty = np.array([], dtype=np.intp)
    design = detect(empty, empty)
    assert (design.kind, design.n_ratings, design.k_harmonic) == ("unidentified", 0, 0.0)
