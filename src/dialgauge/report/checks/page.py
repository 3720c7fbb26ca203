"""One HTML page on the checks of model raters that stands alone."""

from dialgauge.analyse.checking.records import Contrast, KnownGroups, RaterChecks
from dialgauge.analyse.users import UserChecks
from dialgauge.report.checks.numbers import write_estimate
from dialgauge.report.checks.users import ON_ICC, OUTCOMES, summarise_users
from dialgauge.report.checks.users import RULES as USER_RULES
from dialgauge.report.checks.words import (
    RULES,
    conclude_checks,
    say_check,
    say_missing,
    summarise_checks,
)
from dialgauge.report.numerals import DASH, decimal, percent
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source


def render_checks_page(found: RaterChecks, *, users: UserChecks | None = None, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source; ``users`` are those of simulated dialogues.

    It asks nothing of the network; all names in it are escaped.
    """
    halves: list[RaterChecks | UserChecks] = [found, *([] if users is None else [users])]
    rules = (*(RULES.items() if found.raters else ()), *(USER_RULES.items() if users is not None else ()))
    contrasts = [_contrast(one) for one in found.contrasts]
    return load_template("checks/page.html.j2").render(
        title=name_source(found.source, title=title, otherwise="Study"),
        source=clean(found.source) or "not named",
        verdict=conclude_checks(found),
        facts=[
            ("model raters", f"{len(found.raters):,}"),
            ("checks", f"{sum(len(half.checks) for half in halves):,}"),
            ("failed", f"{sum(len(half.failed) for half in halves):,}"),
            ("not made", f"{sum(len(half.not_made) for half in halves):,}"),
            ("intervals", f"{found.level * 100:g}%"),
        ],
        checks=summarise_checks(found, full=True),
        contrasts=contrasts,
        any_listed=any(one.first_over_last is not None for one in found.contrasts),
        any_missing=any(say_missing(one) for one in found.contrasts),
        known=[_known(one) for one in found.known_groups],
        every=[(say_check(check), check.passed) for check in found.checks],
        users=None if users is None else summarise_users(users),
        outcomes=list(OUTCOMES.values()),
        on_icc=ON_ICC,
        rules=rules,
        of_raters=bool(found.raters),
        versions=found.versions,
    )


def _contrast(one: Contrast) -> tuple[str, ...]:
    return (
        clean(one.rater),
        one.check,
        clean(one.dimension) if one.dimension else "all together",
        write_estimate(one.difference, signed=True),
        DASH if one.changed is None else f"{percent(one.changed)}%",
        "" if one.first_over_last is None else write_estimate(one.first_over_last, signed=True),
        f"{one.n_targets:,}",
        say_missing(one),
    )


def _known(one: KnownGroups) -> tuple[str, str, list[tuple[str, str]]]:
    full = (
        ""
        if one.full is None
        else f"; {percent(one.full)}% of {one.n_full} in full order with the middling one (by chance 17%)"
    )
    missing = f"; {one.n_missing} pairs without a rating" if one.n_missing else ""
    words = (
        f"{write_estimate(one.right)} of {one.n_pairs} pairs in the expected order, {one.ties} ties, "
        f"{one.n_triplets} triplets, p = {decimal(one.p)} by {'all' if one.p_exact else 'drawn'} changes of sign"
        f"{full}{missing}"
    )
    rows = [
        (clean(name) if name else "all together", write_estimate(found, signed=True))
        for name, found in one.differences.items()
    ]
    return clean(one.rater), words, rows
