"""What the coefficients of agreement are called, and what each of them takes chance to be."""

from collections.abc import Mapping

from dialgauge.analyse.agreement import Agreement, AgreementCoefficient, CoefficientName, DimensionAgreement
from dialgauge.analyse.agreement.findings import say_p
from dialgauge.stats.estimate import Estimate

TITLES: Mapping[CoefficientName, str] = {
    "percent_agreement": "Percent agreement",
    "percent_weighted": "Percent agreement, weighted",
    "alpha": "Krippendorff’s alpha",
    "fleiss_kappa": "Fleiss’ kappa",
    "conger_kappa": "Conger’s kappa",
    "brennan_prediger": "Brennan-Prediger kappa",
    "gwet_ac1": "Gwet’s AC1",
    "gwet_ac2": "Gwet’s AC2",
    "cohen_kappa": "Cohen’s kappa",
    "light_kappa": "Light’s kappa",
    "kendall_w": "Kendall’s W",
    "alpha_nominal": "Krippendorff’s alpha, nominal",
    "alpha_ordinal": "Krippendorff’s alpha, ordinal",
    "alpha_interval": "Krippendorff’s alpha, interval",
    "alpha_ratio": "Krippendorff’s alpha, ratio",
}

SHORT_TITLES: Mapping[CoefficientName, str] = {
    **{name: title.replace("Krippendorff’s alpha, ", "Alpha, ") for name, title in TITLES.items()},
    "alpha": "Alpha",
    "percent_weighted": "Weighted agreement",
    "brennan_prediger": "Brennan-Prediger",
}
"""Titles for a narrow table."""

_FROM_RATINGS = "draws two of the given ratings"

CHANCE: Mapping[CoefficientName, str] = {
    **dict.fromkeys(("alpha", "alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_ratio"), _FROM_RATINGS),
    "fleiss_kappa": "draws from the mean distribution over targets",
    "conger_kappa": "draws from two raters’ own distributions",
    "brennan_prediger": "takes every declared point alike",
    "gwet_ac1": "lets raters guess on hard targets only",
    "gwet_ac2": "lets raters guess on hard targets only",
    "cohen_kappa": "draws from each rater’s own distribution",
    "light_kappa": "as for Cohen’s kappa, pair by pair",
}
"""What chance would do."""

SHORT_CHANCE: Mapping[CoefficientName, str] = {
    **dict.fromkeys(CHANCE, "draws from ratings"),
    "conger_kappa": "raters’ own marginals",
    "brennan_prediger": "all points alike",
    "gwet_ac1": "guess if hard",
    "gwet_ac2": "guess if hard",
    "cohen_kappa": "raters’ own marginals",
    "light_kappa": "raters’ own marginals",
}
"""What chance would do, for a narrow table."""

WEIGHTS = {
    "identity": "exact matches only",
    "linear": "linear weights (distances)",
    "quadratic": "quadratic weights (squared distances)",
    "ordinal": "ordinal weights (order only)",
}

SHORT_BANDS = {"tentative conclusions only": "tentative", "not reliable": "unreliable"}
"""Words of bands that are too long for a table."""


def title_of(d: DimensionAgreement, coefficient: AgreementCoefficient, *, short: bool = False) -> str:
    """Return the title of a coefficient; the main alpha bears its metric."""
    title = (SHORT_TITLES if short else TITLES)[coefficient.name]
    return f"{title}, {d.metric}" if coefficient.name == "alpha" else title


def main_ac(d: DimensionAgreement) -> AgreementCoefficient | None:
    """Return AC2, or AC1 where only exact matches count."""
    return d.get("gwet_ac2") or d.get("gwet_ac1")


def title_of_ac(analysis: Agreement) -> str:
    """Return the heading of a column of `main_ac`."""
    kinds = {"AC1" if d.weights == "identity" else "AC2" for d in analysis.dimensions}
    return "/".join(sorted(kinds)) or "AC1"


def title_of_metrics(analysis: Agreement) -> str:
    """Return the metrics of the main alphas, such as ``ordinal``."""
    return "/".join(dict.fromkeys(d.metric for d in analysis.dimensions))


def short_band(coefficient: AgreementCoefficient | None) -> str:
    """Return the word of a coefficient, short enough for a table."""
    return "" if coefficient is None else SHORT_BANDS.get(coefficient.band, coefficient.band)


def estimate_of(coefficient: AgreementCoefficient | None) -> Estimate | None:
    """Return the Estimate of a coefficient; ``None`` where it was refused or does not apply."""
    if coefficient is None or not isinstance(coefficient.result, Estimate):
        return None
    return coefficient.result


def say_tests(d: DimensionAgreement) -> list[str]:
    """Say the tests that go with a dimension: of Kendall's W, and of equal marginals of two raters."""
    found = []
    if d.concordance is not None:
        w = d.concordance
        found.append(f"that raters rank independently (Kendall’s W): chi² = {w.chi2:.2f}, {w.df} df, {say_p(w.p)}")
    if d.homogeneity is not None:
        h = d.homogeneity
        said = f"chi² = {h.chi2:.2f}, {h.df} df, {say_p(h.p)}"
        found.append(f"that both raters use the points equally often (Stuart-Maxwell): {said}")
    return found
