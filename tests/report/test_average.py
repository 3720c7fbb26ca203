"""The number of raters that the k forms average over, in words."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from dialgauge.analyse.results import Reliability
from dialgauge.report.average import equate_k, say_k, say_mean, write_k

from .conftest import make_dimension

WithK = Callable[..., Reliability]


@pytest.fixture
def with_k(analysis: Reliability) -> WithK:
    """Return a function that gives an analysis of dimensions with these k."""

    def make(*ks: float) -> Reliability:
        made = [make_dimension(f"d{i}") for i in range(len(ks))]
        rated = [replace(d, k=k, design=replace(d.design, k_harmonic=k)) for d, k in zip(made, ks, strict=True)]
        return replace(analysis, dimensions=tuple(rated))

    return make


@pytest.mark.parametrize(
    ("ks", "number", "equation", "mean"),
    [
        ([5.2008], "5.2", "k = 5.2", "the mean of 5.2 raters"),
        ([3.0, 3.0], "3", "k = 3", "the mean of 3 raters"),
        ([4.79, 4.84, 4.91], "4.8", "k ≈ 4.8", "the mean of about 4.8 raters"),
        ([4.0, 5.2], "4 to 5.2", "k = 4 to 5.2", "the mean of 4 to 5.2 raters"),
        ([1.0], "1", "k = 1", "one rater"),
        ([], "5.2", "k = 5.2", "the mean of 5.2 raters"),
    ],
)
def test_one_number_speaks_for_dimensions_that_differ_a_little(
    with_k: WithK, ks: list[float], number: str, equation: str, mean: str
) -> None:
    made = with_k(*ks)
    assert (say_k(made), equate_k(made), say_mean(made)) == (number, equation, mean)


@pytest.mark.parametrize(("k", "text"), [(10.0, "10"), (2.5, "2.5"), (4.789, "4.79"), (0.001, "0.001")])
def test_a_number_of_raters_has_no_idle_zeros(k: float, text: str) -> None:
    assert write_k(k) == text
