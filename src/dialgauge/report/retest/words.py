"""What the numbers of repeated measurement are called, and how they are written."""

from collections.abc import Mapping

from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.retest.classes import LOWEST
from dialgauge.analyse.retest.records import Form, GroupSummary, Measure, Part, Repeat, Retest
from dialgauge.report.numerals import DASH, decimal, plural
from dialgauge.report.text import clean, typeset
from dialgauge.stats.estimate import Estimate

PARTS: Mapping[Part, str] = {"single": "one rating", "mean": "mean of k ratings"}

SYMBOLS: Mapping[Part, str] = {"single": "ICC(3,1)", "mean": "ICC(3,k)"}

FORMS: Mapping[Form, str] = {
    "printed": "printed form: the mean square within targets is the error, which is ICC(1,1) and ICC(1,k)",
    "shrout-fleiss": "form of Shrout and Fleiss: the residual mean square is the error",
}

SHORT_FORMS: Mapping[Form, str] = {"printed": "printed", "shrout-fleiss": "Shrout-Fleiss"}

MEASURES: Mapping[Measure, str] = {
    "nmae": "nMAE, continuous scales",
    "kappa": "Cohen’s kappa, categories",
    "weighted_kappa": "weighted kappa, ordinal scales",
}

CLASS_LIMITS = (
    "perfect: no target differed between replicates; "
    + ", ".join(f"{name} from {decimal(limit, 2)}" for name, limit in LOWEST.items() if name != "poor")
    + "; below, poor"
)

ALL = "all dimensions"


def say_group(group: str | None) -> str:
    """Return the name of a group; all dimensions for ``None``, and a word for those that have none."""
    return ALL if group is None else clean(group) or "no group"


def write_value(coefficient: Coefficient | None, digits: int = 3) -> str:
    """Write the value of a coefficient, a dash where there is none."""
    return decimal(coefficient.value, digits) if isinstance(coefficient, Estimate) else DASH


def write_interval(coefficient: Coefficient | None) -> str:
    """Write the interval of a coefficient in brackets; empty where there is no value."""
    if not isinstance(coefficient, Estimate):
        return ""
    if coefficient.low is None or coefficient.high is None:
        return "no interval"
    return f"[{decimal(coefficient.low)}, {decimal(coefficient.high)}]"


def write_number(value: float | None) -> str:
    """Write a number with three decimals, a dash where there is none."""
    return DASH if value is None else decimal(value)


def whole(analysis: Retest, part: Part) -> list[GroupSummary]:
    """Return the counts over all dimensions, a record for each rater."""
    return [s for s in analysis.summaries if s.group is None and s.part == part]


def describe_retest(analysis: Retest) -> str:
    """Say in one line what was rated how often by whom."""
    sizes = [
        plural(analysis.n_targets, "target"),
        plural(len(analysis.dimensions), "dimension"),
        plural(len(analysis.raters), "rater"),
        plural(len(analysis.replicates), "replicate"),
    ]
    return f"{' × '.join(sizes)}, {analysis.n_ratings:,} ratings; {FORMS[analysis.form].partition(':')[0]}"


def say_use(repeat: Repeat) -> str:
    """Return the use of a dimension, a dash where it has no coefficient."""
    return repeat.use or DASH


def print_sentence(sentence: str) -> str:
    """Write apostrophes and minus signs as printers do."""
    return typeset(clean(sentence))
