"""Many-rater coefficients reach the values of irrCAC and irr."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

from dialgauge.stats.agreement.alpha import weighted_alpha
from dialgauge.stats.agreement.chance import brennan_prediger, fleiss_kappa, fleiss_test, gwet_ac
from dialgauge.stats.agreement.cohen import light_kappa
from dialgauge.stats.agreement.conger import conger_kappa
from dialgauge.stats.agreement.counts import Counts, tabulate_dense
from dialgauge.stats.agreement.observed import exact_agreement, percent_agreement
from dialgauge.stats.agreement.weights import Kind, rating_weights
from dialgauge.stats.estimate import Estimate

Codes = NDArray[np.intp]
Table = Callable[[str], tuple[Codes, int]]
Coefficient = Callable[[Counts, NDArray[np.float64]], Estimate]

PYTHON: dict[str, Coefficient] = {
    "gwet": gwet_ac,
    "fleiss": fleiss_kappa,
    "krippendorff": weighted_alpha,
    "conger": conger_kappa,
    "bp": brennan_prediger,
}
R: dict[str, Coefficient] = {
    "gwet.ac1.raw": gwet_ac,
    "fleiss.kappa.raw": fleiss_kappa,
    "krippen.alpha.raw": weighted_alpha,
    "conger.kappa.raw": conger_kappa,
    "bp.coeff.raw": brennan_prediger,
    "pa.coeff.raw": percent_agreement,
}
KINDS: tuple[Kind, ...] = ("identity", "linear", "quadratic", "ordinal")
CASES = [(data, kind) for data in ("krippendorff_4x12", "anxiety") for kind in KINDS]


def estimate(table: Table, data: str, kind: Kind, coefficient: Coefficient) -> Estimate:
    codes, q = table(data)
    return coefficient(tabulate_dense(codes, q), rating_weights(kind, np.arange(q, dtype=float)))


def standard_error(found: Estimate) -> float:
    degrees = re.search(r"t with (\d+) df", found.method)
    assert degrees is not None
    assert found.low is not None
    return float((found.value - found.low) / t.ppf(0.975, int(degrees[1])))


@pytest.mark.parametrize(("data", "kind"), [*CASES, ("diagnoses", "identity")])
@pytest.mark.parametrize("name", PYTHON)
def test_value_standard_error_and_interval_are_those_of_python_irrcac(
    reference: dict[str, Any], table: Table, data: str, kind: Kind, name: str
) -> None:
    """From irrCAC 0.4.4 (Python), printed with 12 decimals: tolerance 1e-9, most of it the rounding of the bounds."""
    expected = reference["irrCAC_python_0_4_4"][f"{data}|{kind}"][name]
    found = estimate(table, data, kind, PYTHON[name])
    assert found.value == pytest.approx(expected["coefficient_value"], abs=1e-11)
    assert standard_error(found) == pytest.approx(expected["se"], abs=1e-9)
    assert [found.low, found.high] == pytest.approx(expected["confidence_interval"], abs=1e-9)


@pytest.mark.parametrize(("data", "kind"), CASES)
@pytest.mark.parametrize("name", R)
def test_value_standard_error_and_interval_are_those_of_r_irrcac(
    reference: dict[str, Any], table: Table, data: str, kind: Kind, name: str
) -> None:
    """From irrCAC 1.0 (R), value and standard error rounded to 5 decimals, the interval a text with 3."""
    label = "unweighted" if kind == "identity" else kind
    expected = reference["irrCAC_R_1_0"][f"{data}|{label}|{name}"]
    found = estimate(table, data, kind, R[name])
    assert found.value == pytest.approx(expected["value"], abs=5.01e-6)
    assert standard_error(found) == pytest.approx(expected["se"], abs=5.01e-6)
    low, high = (float(bound) for bound in expected["ci"].strip("()").split(","))
    assert [found.low, found.high] == pytest.approx([low, high], abs=5.01e-4)


@pytest.mark.parametrize(("data", "kind"), CASES)
def test_percent_agreement_is_the_observed_agreement_of_r_irrcac(
    reference: dict[str, Any], table: Table, data: str, kind: Kind
) -> None:
    label = "unweighted" if kind == "identity" else kind
    expected = reference["irrCAC_R_1_0"][f"{data}|{label}|fleiss.kappa.raw"]["pa"]
    assert estimate(table, data, kind, percent_agreement).value == pytest.approx(expected, abs=1e-13)


def test_gwets_ordinal_weights_are_another_metric_than_krippendorffs(table: Table) -> None:
    """fast-krippendorff #4: .8336 is not the ordinal alpha (.8154) of Krippendorff's own example."""
    assert estimate(table, "krippendorff_4x12", "ordinal", weighted_alpha).value == pytest.approx(
        0.833638025594, abs=1e-12
    )


def test_the_interval_of_fleiss_kappa_is_not_made_of_the_null_standard_error(
    reference: dict[str, Any], table: Table
) -> None:
    """jasp-issues #4509: z 17.65 (irr 0.84.1) belongs to the test; the interval needs .0542 (irrCAC), not .0244."""
    codes, q = table("diagnoses")
    counts = tabulate_dense(codes, q)
    expected = reference["r"]["irr"]["diagnoses"]["fleiss"]
    test, interval = fleiss_test(counts), fleiss_kappa(counts)
    assert test.value == pytest.approx(expected["value"], abs=1e-13)
    assert test.z == pytest.approx(expected["statistic"], rel=1e-12)
    assert test.se_null == pytest.approx(0.0244, abs=5e-5)
    assert test.p < 1e-60
    assert standard_error(interval) == pytest.approx(0.054198935515, abs=1e-11)


def test_conger_light_and_exact_agreement_are_those_of_irr(reference: dict[str, Any], table: Table) -> None:
    """From irr 0.84.1; its "exact" Fleiss kappa is Conger's."""
    codes, q = table("diagnoses")
    expected = reference["r"]["irr"]["diagnoses"]
    counts = tabulate_dense(codes, q)
    assert conger_kappa(counts).value == pytest.approx(expected["fleiss_exact"]["value"], abs=1e-13)
    assert light_kappa(codes, q).value == pytest.approx(expected["light"]["value"], abs=1e-13)
    assert 100 * exact_agreement(counts).value == pytest.approx(expected["agree"]["value"], abs=1e-12)


def test_exact_agreement_of_two_raters_is_that_of_irr(reference: dict[str, Any], table: Table) -> None:
    codes, q = table("vision")
    counts = tabulate_dense(codes, q)
    expected = reference["r"]["irr"]["vision"]["agree"]["value"]
    assert 100 * exact_agreement(counts).value == pytest.approx(expected, abs=1e-12)
    assert 100 * percent_agreement(counts).value == pytest.approx(expected, abs=1e-12)
