"""Which random effects a design tells apart."""

import numpy as np
import pytest

from dialgauge.stats.compare import SystemPanel
from dialgauge.stats.compare.terms import absorbers, choose_terms, only_one

from .conftest import draw

FULL = (0.6, 0.5, 0.5, 0.4, 0.5, 0.5, 0.4, 0.8)


def names(panel: SystemPanel) -> tuple[set[str], dict[str, str]]:
    found = choose_terms(panel)
    return {term.name for term in found.kept}, dict(found.left_out)


def rank_of_squares(panel: SystemPanel) -> int:
    """Return how many of all effects' matrices, systems taken out, are independent, by plain linear algebra."""
    assert panel.rater is not None
    groupings = [np.arange(len(panel)), panel.dialogue]
    for codes in (panel.persona, panel.preference, panel.rater):
        groupings += [codes, codes * 1000 + panel.system]
    x = np.eye(int(panel.system.max()) + 1)[panel.system]
    project = np.eye(len(panel)) - x @ np.linalg.pinv(x)
    squares = [project @ np.equal.outer(codes, codes).astype(float) @ project for codes in groupings]
    return int(np.linalg.matrix_rank(np.array([one.ravel() for one in squares]), tol=1e-7))


def test_a_rated_study_with_replicates_tells_all_effects_apart(rated: SystemPanel) -> None:
    kept, left_out = names(rated)
    assert len(kept) == 7
    assert not left_out


@pytest.mark.parametrize("drop", [0, 3, 6])
@pytest.mark.parametrize(
    "sizes", [(2, 3, 2, 2, 1), (3, 4, 3, 2, 2), (2, 4, 1, 3, 1), (2, 1, 3, 2, 1), (3, 4, 2, 1, 1), (2, 5, 2, 2, 1)]
)
def test_as_many_effects_are_kept_as_plain_linear_algebra_tells_apart(
    sizes: tuple[int, int, int, int, int], drop: int
) -> None:
    panel = draw(sizes, FULL, drop)
    assert len(choose_terms(panel).kept) + 1 == rank_of_squares(panel)


def test_one_value_a_dialogue_leaves_its_variance_in_the_residual_one(unbalanced: SystemPanel) -> None:
    kept, left_out = names(unbalanced)
    assert "dialogue" not in kept
    assert absorbers(left_out["dialogue"]) == ("residual",)


def test_a_single_preference_is_named_as_such() -> None:
    _, left_out = names(draw((3, 8, 1, 1, 1), FULL, rated=False))
    assert left_out["preference"] == left_out["preference x system"] == only_one("preference")
    assert absorbers(left_out["preference"]) == ()
    assert absorbers(left_out["persona x system"]) == ("residual",)


def test_personas_that_meet_one_system_each_hold_their_interaction_with_it() -> None:
    panel = draw((2, 8, 3, 1, 1), FULL, rated=False)
    own = panel.persona % 2 == panel.system
    codes = (panel.system, panel.persona, panel.preference, panel.dialogue)
    kept, left_out = names(SystemPanel(panel.values[own], *(one[own] for one in codes)))
    assert "persona" in kept
    assert absorbers(left_out["persona x system"]) == ("persona",)


def test_a_persona_for_each_system_cannot_be_told_from_it() -> None:
    panel = draw((2, 2, 5, 1, 1), FULL, rated=False)
    own = panel.persona == panel.system
    codes = (panel.system, panel.persona, panel.preference, panel.dialogue)
    _, left_out = names(SystemPanel(panel.values[own], *(one[own] for one in codes)))
    assert left_out["persona"] == "cannot be told from system in these data"


def test_a_dialogue_rated_by_fresh_raters_leaves_theirs_in_the_residual_variance() -> None:
    panel = draw((2, 6, 2, 2, 1), FULL)
    fresh = SystemPanel(
        panel.values, panel.system, panel.persona, panel.preference, panel.dialogue, np.arange(len(panel))
    )
    kept, left_out = names(fresh)
    assert "dialogue" in kept
    assert absorbers(left_out["rater"]) == ("residual",)
