"""Systems compared by a linear mixed model: one value a dialogue, or one value a rating of it."""

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import stdtr, stdtrit

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Floats, one_thread
from dialgauge.stats.compare.family import Family, contrast_matrix, pairs, rank_systems
from dialgauge.stats.compare.layout import Layout
from dialgauge.stats.compare.minimise import Minimum, minimise
from dialgauge.stats.compare.records import Comparison, Contrast, SystemPanel
from dialgauge.stats.compare.satterthwaite import Satterthwaite
from dialgauge.stats.compare.terms import (
    PERSONA,
    PREFERENCE,
    RATER,
    RESIDUAL,
    Terms,
    absorbers,
    choose_terms,
)
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate, Flag
from dialgauge.stats.ranges import require_level

ALIKE = 1e-13
"""Share of the squares within systems below which all values of each are alike."""


def fit_mixed(
    panel: SystemPanel,
    *,
    higher_is_better: bool = True,
    level: float = 0.95,
    fewest_raters: int = 0,
    rng: np.random.Generator,
) -> Comparison:
    """Return the systems of ``panel`` compared by REML: system fixed, all that a study draws random.

    Random are persona, preference, rater, each of them x system, and dialogue, as far as the design tells them apart;
    what is left out is named with the reason. Differences have t intervals with Satterthwaite's degrees of freedom,
    and the single-step adjustment over all pairs (Hothorn, Bretz and Westfall 2008) uses the least of them. ``level``
    is the confidence level (0 to 1); ``rng`` shifts the points by which the adjustment is integrated, which moves it
    by less than 0.001. Fewer than six raters are flagged ("few_raters"), and variances estimated at zero ("boundary").
    Fewer than ``fewest_raters`` are taken as given: their number is too small to tell how far others would see the
    same difference, and the interval does not cover others. The order of the rows changes nothing.

    Raises InputError for codes of systems with gaps or a level out of range; CannotEstimateError for fewer than two
    systems, values that do not vary within systems, and where no minimum of the criterion could be certified.
    """
    require_level(level)
    check_systems(panel)
    panel = in_order(panel)
    terms = choose_terms(panel, fewest_raters=fewest_raters)
    with one_thread():
        layout = Layout.of(panel.values, panel.system, terms.kept)
        minimum = minimise(layout)
        return _Result(panel, terms, layout, minimum, level).comparison(higher_is_better=higher_is_better, rng=rng)


def in_order(panel: SystemPanel) -> SystemPanel:
    """Return the rows in an order of their own, so that no search hangs on the order in which they came."""
    keys = [panel.values, panel.dialogue, panel.preference, panel.persona, panel.system]
    order = np.lexsort(keys if panel.rater is None else [panel.values, panel.rater, *keys[1:]])
    return SystemPanel(
        panel.values[order],
        panel.system[order],
        panel.persona[order],
        panel.preference[order],
        panel.dialogue[order],
        None if panel.rater is None else panel.rater[order],
    )


def count_paired(panel: SystemPanel) -> Mapping[tuple[int, int], int]:
    """Return for each pair of systems how many combinations of persona and preference both met."""
    cells = [
        set(zip(panel.persona[here].tolist(), panel.preference[here].tolist(), strict=True))
        for here in (panel.system == s for s in range(int(panel.system.max()) + 1))
    ]
    return {(i, j): len(cells[i] & cells[j]) for i, j in pairs(len(cells))}


def check_systems(panel: SystemPanel) -> None:
    """Raise InputError for codes with gaps, CannotEstimateError for one system or values alike within each."""
    if not len(panel) or panel.system.max() < 1:
        raise CannotEstimateError(
            "there is only one system in these values", remedy="collect dialogues with the system to compare it with"
        )
    counts = np.bincount(panel.system)
    if not counts.all():
        raise InputError(f"system code {int(np.argmin(counts))} has no value; number the systems without gaps")
    means = np.bincount(panel.system, panel.values) / counts
    within, total = (float(((panel.values - centre) ** 2).sum()) for centre in (means[panel.system], means.mean()))
    if within <= ALIKE * max(total, float((panel.values**2).sum())):
        raise CannotEstimateError(
            "the values of each system are all alike, so there is no spread to measure a difference by",
            remedy="collect more dialogues, or choose a measure that varies",
        )


class _Result:
    """The fit, put into records in the unit of the values."""

    def __init__(self, panel: SystemPanel, terms: Terms, layout: Layout, minimum: Minimum, level: float) -> None:
        self.panel, self.terms, self.layout, self.minimum, self.level = panel, terms, layout, minimum, level
        self.satterthwaite = Satterthwaite(layout, minimum)
        self.means = layout.centre + layout.scale * minimum.at.effects
        self.covariance = layout.scale**2 * self.satterthwaite.covariance
        ratio = dict(zip(layout.names, minimum.ratios, strict=True))
        self.boundary = tuple(term.name for term in terms.kept if ratio[term.name] == 0.0)
        residual = layout.scale**2 * self.satterthwaite.residual
        self.variance = {term.name: float(residual * ratio[term.name]) for term in terms.kept}
        self.variance[RESIDUAL] = float(residual)
        self.per_system = np.bincount(panel.system)

    def comparison(self, *, higher_is_better: bool, rng: np.random.Generator) -> Comparison:
        contrasts = self.contrasts(rng)
        return Comparison(
            means=tuple(self.mean(s) for s in range(len(self.means))),
            contrasts=contrasts,
            ranks=rank_systems([float(m) for m in self.means], contrasts, higher_is_better=higher_is_better),
            method=self.method(),
            variance=self.variance,
            boundary=self.boundary,
            left_out=self.terms.left_out,
            n=len(self.panel),
        )

    def mean(self, s: int) -> Estimate:
        weights = np.eye(len(self.means))[s]
        df = self.satterthwaite.df(weights)
        how = f"marginal mean by REML, t with {df:.1f} df (Satterthwaite)"
        return self.estimate(weights, self.quantile(df), how, int(self.per_system[s]))

    def contrasts(self, rng: np.random.Generator) -> tuple[Contrast, ...]:
        matrix = contrast_matrix(len(self.means))
        dfs = [self.satterthwaite.df(weights) for weights in matrix]
        family = Family(matrix @ self.covariance @ matrix.T, min(dfs), rng=rng)
        reach, paired, found = family.critical(self.level), count_paired(self.panel), []
        together = f"REML, max |t| over {len(dfs)} pairs with {min(dfs):.1f} df (Hothorn, Bretz and Westfall)"
        for (i, j), weights, df in zip(pairs(len(self.means)), matrix, dfs, strict=True):
            n = int(self.per_system[i] + self.per_system[j])
            t = abs(float(weights @ self.means)) / math.sqrt(float(weights @ self.covariance @ weights))
            p = 2.0 * float(stdtr(df, -t))
            alone = self.estimate(weights, self.quantile(df), f"REML, t with {df:.1f} df (Satterthwaite)", n)
            joint = self.estimate(weights, reach, together, n)
            found.append(Contrast(i, j, alone, joint, p, min(max(family.p(t), p), 1.0), df, paired[i, j]))
        return tuple(found)

    def quantile(self, df: float) -> float:
        return float(stdtrit(df, (1.0 + self.level) / 2.0))

    def estimate(self, weights: Floats, reach: float, method: str, n: int) -> Estimate:
        value = float(weights @ self.means)
        margin = reach * math.sqrt(float(weights @ self.covariance @ weights))
        return Estimate(value, value - margin, value + margin, self.level, method, self.covers(), n, self.flags())

    def covers(self) -> str:
        """Return the sources of uncertainty that the intervals cover, in words."""
        found = []
        for name in (PERSONA, PREFERENCE, RATER):
            reason = self.terms.left_out.get(name)
            held = absorbers(reason) if reason else (name,)
            if name == RATER and self.terms.raters_given:
                continue
            if name in self.terms.n_levels and held and held != ("system",):
                found.append(f"{name}s")
        return " and ".join(", ".join([*found, "dialogues"]).rsplit(", ", 1))

    def flags(self) -> tuple[Flag, ...]:
        few = self.terms.n_levels.get(RATER, FEW_RATERS) < FEW_RATERS
        return (*(("boundary",) if self.boundary else ()), *(("few_raters",) if few else ()))

    def method(self) -> str:
        names = ", ".join(term.name for term in self.terms.kept)
        random = f", random {names}" if names else ", nothing random"
        few = [
            f"{self.terms.n_levels[name]} {name}s"
            for name in (PERSONA, PREFERENCE, RATER)
            if 1 < self.terms.n_levels.get(name, 1) < FEW_RATERS and name not in self.terms.left_out
        ]
        doubt = f"; only {' and '.join(few)}: their variance is hardly known" if few else ""
        return f"linear mixed model by REML, system fixed{random}; df by Satterthwaite{doubt}"
