"""Checks of raters."""

from dialgauge.model import RaterCheck


def test_a_check_without_a_dimension_concerns_all_of_its_rater() -> None:
    check = RaterCheck(rater="a", dimension=None, check="constant answers", passed=False)
    assert check.concerns("a", "accuracy")
    assert not check.concerns("b", "accuracy")


def test_a_check_of_a_dimension_concerns_that_one_only() -> None:
    check = RaterCheck(rater="a", dimension="accuracy", check="known groups in order", passed=True)
    assert check.concerns("a", "accuracy")
    assert not check.concerns("a", "novelty")
