"""The agreement that chance would give, against R, and alpha from its parts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.alpha import alpha_value
from dialgauge.stats.agreement.counts import tabulate_dense
from dialgauge.stats.agreement.expected import ChanceModel, alpha_parts, category_midranks, expected_agreement
from dialgauge.stats.agreement.weights import Kind, rating_weights

Table = Callable[[str], tuple[NDArray[np.intp], int]]

R: dict[ChanceModel, str] = {
    "gwet": "gwet.ac1.raw",
    "fleiss": "fleiss.kappa.raw",
    "conger": "conger.kappa.raw",
    "brennan_prediger": "bp.coeff.raw",
}
KINDS: tuple[Kind, ...] = ("identity", "linear", "quadratic", "ordinal")


@pytest.mark.parametrize("data", ["krippendorff_4x12", "anxiety"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", R)
def test_expected_agreement_is_that_of_irrcac(
    reference: dict[str, Any], table: Table, data: str, kind: Kind, model: ChanceModel
) -> None:
    """From irrCAC 1.0 (R), all digits."""
    codes, q = table(data)
    label = "unweighted" if kind == "identity" else kind
    expected = reference["irrCAC_R_1_0"][f"{data}|{label}|{R[model]}"]["pe"]
    weights = rating_weights(kind, np.arange(float(q)))
    assert expected_agreement(tabulate_dense(codes, q), model, weights) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_from_pairs_of_categories_is_alpha_from_sums(table: Table, metric: Any) -> None:  # noqa: ANN401
    """Two routes: .743, .815 and .849 on Krippendorff's own example."""
    codes, q = table("krippendorff_4x12")
    counts = tabulate_dense(codes, q)
    x = category_midranks(counts) if metric == "ordinal" else np.arange(float(q))
    distance = 1.0 - np.eye(q) if metric == "nominal" else (x[:, None] - x) ** 2
    parts = alpha_parts(counts, distance)
    assert parts.alpha == pytest.approx(
        alpha_value(counts.category.astype(np.float64), counts.target, metric=metric), abs=1e-12
    )
    assert 0.0 <= parts.expected < parts.observed <= 1.0


def test_an_unused_category_at_the_end_does_not_change_the_parts_of_alpha() -> None:
    codes = np.array([[0, 0, 1], [2, 2, 2], [1, 2, 1]])
    distance = (np.arange(5.0)[:, None] - np.arange(5.0)) ** 2
    few, many = (alpha_parts(tabulate_dense(codes, q), distance[:q, :q]) for q in (3, 5))
    assert few == many


def test_alpha_needs_two_targets_with_two_ratings() -> None:
    with pytest.raises(CannotEstimateError, match="only one target"):
        alpha_parts(tabulate_dense(np.array([[0, 1], [0, -1]]), 2), 1.0 - np.eye(2))


def test_an_unknown_model_of_chance_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="choose fleiss, conger, brennan_prediger or gwet"):
        expected_agreement(tabulate_dense(np.array([[0, 1], [0, 1]]), 2), "scott")  # type: ignore[arg-type]
