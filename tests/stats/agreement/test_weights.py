"""Agreement weights come from the declared points."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dialgauge.errors import InputError
from dialgauge.stats.agreement.weights import Kind, check_weights, rating_weights

FIVE = np.arange(1.0, 6.0)


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("identity", [1, 0, 0, 0, 0]),
        ("linear", [1, 0.75, 0.5, 0.25, 0]),
        ("quadratic", [1, 0.9375, 0.75, 0.4375, 0]),
        ("ordinal", [1, 0.9, 0.7, 0.4, 0]),  # 1 - C(d + 1, 2) / C(5, 2)
    ],
)
def test_weights_of_five_points_are_the_textbook_ones(kind: Kind, row: list[float]) -> None:
    weights = rating_weights(kind, FIVE)
    np.testing.assert_allclose(weights[0], row, atol=1e-15)
    np.testing.assert_allclose(weights, weights.T, atol=0)


def test_linear_weights_follow_the_distance_of_the_points_and_ordinal_weights_only_their_order() -> None:
    points = np.array([0.0, 1.0, 10.0])
    assert rating_weights("linear", points)[0, 1] == pytest.approx(0.9)
    assert rating_weights("ordinal", points)[0, 1] == pytest.approx(2 / 3)


def test_points_in_falling_order_give_the_same_weights_turned_round() -> None:
    for kind in ("linear", "quadratic", "ordinal"):
        np.testing.assert_allclose(rating_weights(kind, FIVE[::-1]), rating_weights(kind, FIVE)[::-1, ::-1])


@pytest.mark.parametrize("points", [[1.0], [1.0, 1.0], [1.0, np.inf]])
def test_points_that_make_no_scale_are_refused(points: list[float]) -> None:
    with pytest.raises(InputError, match="make no scale"):
        rating_weights("linear", np.array(points))


def test_an_unknown_kind_of_weights_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="choose identity, linear, quadratic or ordinal"):
        rating_weights("cubic", FIVE)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.eye(3), "do not fit 2 declared categories"),
        (np.array([[1.0, 0.2], [0.3, 1.0]]), "symmetric"),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), "1 on the diagonal"),
        (np.array([[1.0, -0.5], [-0.5, 1.0]]), "within 0 .. 1"),
    ],
)
def test_a_matrix_that_is_no_agreement_weights_is_refused(weights: NDArray[np.float64], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_weights(weights, 2)
