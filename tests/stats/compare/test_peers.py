"""Fits against lme4, lmerTest and multcomp; peers.R beside this file prints the literals.

R 4.2.2, lme4 1.1.31 (bobyqa, rhoend 1e-10), lmerTest 3.1.3, multcomp 1.4.22, mvtnorm 1.1.3. lme4 holds variances to
about 1e-6 of that of the values, lmerTest its degrees of freedom to about 1e-4 of them (numerical derivatives),
multcomp and mvtnorm their integrals to the error that they print, below 1e-5.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from dialgauge.stats.compare import Comparison, SystemPanel, fit_mixed
from dialgauge.stats.compare.family import Family, contrast_matrix
from dialgauge.stats.compare.layout import Layout
from dialgauge.stats.compare.minimise import minimise
from dialgauge.stats.compare.satterthwaite import Satterthwaite
from dialgauge.stats.compare.terms import choose_terms

VARIANCE, MEAN, ERROR, DF, INTEGRAL = 1e-6, 1e-6, 1e-6, 1e-4, 5e-4


def fit(panel: SystemPanel) -> Comparison:
    return fit_mixed(panel, rng=np.random.default_rng(1))


def criterion(panel: SystemPanel) -> float:
    """Return the criterion at the answer, in units of the data."""
    layout = Layout.of(panel.values, panel.system, choose_terms(panel).kept)
    return minimise(layout).at.criterion + 2.0 * (layout.n - layout.n_systems) * float(np.log(layout.scale))


def family(panel: SystemPanel, df: float) -> tuple[Family, list[float]]:
    """Return the distribution of the largest |t| with ``df`` degrees of freedom, and the |t|."""
    layout = Layout.of(panel.values, panel.system, choose_terms(panel).kept)
    minimum = minimise(layout)
    matrix = contrast_matrix(layout.n_systems)
    covariance = matrix @ Satterthwaite(layout, minimum).covariance @ matrix.T
    t = np.abs(matrix @ minimum.at.effects) / np.sqrt(np.diag(covariance))
    return Family(covariance, df, rng=np.random.default_rng(1)), [float(x) for x in t]


def check_variances(found: Comparison, expected: Mapping[str, float]) -> None:
    assert set(found.variance) == set(expected)
    for name, value in expected.items():
        assert found.variance[name] == pytest.approx(value, abs=VARIANCE), name
    assert set(found.boundary) == {name for name, value in expected.items() if value == 0.0}


def check_contrasts(
    found: Comparison, values: Sequence[float], errors: Sequence[float], dfs: Sequence[float], ps: Sequence[float]
) -> None:
    from scipy.stats import t

    for contrast, value, error, df, p in zip(found.contrasts, values, errors, dfs, ps, strict=True):
        assert contrast.difference.value == pytest.approx(value, abs=MEAN)
        assert contrast.df == pytest.approx(df, rel=DF)
        assert contrast.p == pytest.approx(p, abs=1e-5)
        assert contrast.difference.high is not None
        margin = contrast.difference.high - contrast.difference.value
        assert margin / float(t.ppf(0.975, contrast.df)) == pytest.approx(error, abs=ERROR)


def test_rated_dialogues_with_seven_random_effects_two_of_them_at_zero_equal_lmer_test(rated: SystemPanel) -> None:
    # y ~ 0 + s + (1|p) + (1|q) + (1|p:s) + (1|q:s) + (1|d) + (1|r) + (1|r:s)
    found = fit(rated)
    check_variances(
        found,
        {
            "persona": 0.0,
            "preference": 0.0412518500907,
            "rater": 0.0,
            "persona x system": 0.339994537963,
            "preference x system": 0.0142732469127,
            "rater x system": 0.0909368177898,
            "dialogue": 0.384935669495,
            "residual": 0.597820450589,
        },
    )
    check_contrasts(
        found,
        [-0.674112271651, -0.697701441266, -0.023589169615],
        [0.492130373400, 0.492234871362, 0.492130373400],
        [13.6622416904, 13.6737294765, 13.6622416889],
        [0.192847419482, 0.178743960142, 0.962463465440],
    )
    means = [-0.7147712430947, -0.0406589714434, -0.0170698018283]
    assert [one.value for one in found.means] == pytest.approx(means, abs=MEAN)
    assert [one.method.split()[-3] for one in found.means] == ["14.7"] * 3  # 14.739, 14.717, 14.739 in R


def test_unbalanced_values_of_dialogues_equal_lmer_test(unbalanced: SystemPanel) -> None:
    # y ~ 0 + s + (1|p) + (1|q) + (1|p:s) + (1|q:s); R refuses a variance of dialogues here, as it is the residual one
    found = fit(unbalanced)
    assert found.left_out == {"dialogue": "cannot be told from residual in these data"}
    check_variances(
        found,
        {
            "persona": 0.0182285297099,
            "preference": 0.0329450940279,
            "persona x system": 0.012437276993,
            "preference x system": 0.00130026075074,
            "residual": 0.788771727727,
        },
    )
    check_contrasts(
        found,
        [0.0756252922001, 0.1125539912521, -0.2157434009440, 0.0369286990521, -0.2913686931441, -0.3282973921962],
        [0.275479985154, 0.272319884542, 0.275233995761, 0.272709560169, 0.275223098612, 0.272592106023],
        [3.54699934273, 3.34082869840, 3.47308393500, 3.41862116171, 3.51527802088, 3.36753858597],
        [0.798916672323, 0.704494074270, 0.483107127401, 0.899873481175, 0.357008135913, 0.306219757372],
    )


def test_three_variances_at_zero_count_for_nothing_as_in_lmer_test(edge: SystemPanel) -> None:
    found = fit(edge)
    assert all("boundary" in contrast.difference.flags for contrast in found.contrasts)
    check_variances(
        found,
        {
            "persona": 0.223091835348,
            "preference": 0.0,
            "persona x system": 0.0,
            "preference x system": 0.0,
            "residual": 0.912598832906,
        },
    )
    check_contrasts(
        found,
        [-0.133970180115, -0.351937158653, -0.217966978539],
        [0.271460899399, 0.270542689355, 0.268956457366],
        [66.7431951297, 67.4098791633, 66.7737879112],
        [0.623268427055, 0.197736956471, 0.420579320621],
    )


def test_the_criterion_is_that_of_lme4_and_never_above_it(
    rated: SystemPanel, unbalanced: SystemPanel, edge: SystemPanel
) -> None:
    for panel, expected in ((rated, 625.446390996), (unbalanced, 238.225820181), (edge, 218.52566146)):
        assert criterion(panel) == pytest.approx(expected, abs=1e-7)
        assert criterion(panel) <= expected + 1e-8


def test_adjusted_p_and_critical_values_of_three_systems_equal_multcomp(rated: SystemPanel) -> None:
    together, t = family(rated, 5.0)
    expected = [0.421944091942, 0.400977405766, 0.998735122656]
    assert [together.p(x) for x in t] == pytest.approx(expected, abs=1e-5)
    assert together.critical(0.95) == pytest.approx(3.25390097804, abs=1e-4)


def test_adjusted_p_and_critical_values_of_four_systems_equal_multcomp(unbalanced: SystemPanel) -> None:
    together, t = family(unbalanced, 9.0)
    expected = [0.99226403597, 0.974798150047, 0.859947986724, 0.999044425005, 0.721359814469, 0.639419637859]
    assert [together.p(x) for x in t] == pytest.approx(expected, abs=INTEGRAL)
    assert together.critical(0.95) == pytest.approx(3.12183584486, abs=1e-3)
