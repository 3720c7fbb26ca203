"""The sentences that are made of the numbers of a plan."""

from dialgauge.analyse.planning import Answer, StudyPlan
from dialgauge.report.numerals import decimal, plural
from dialgauge.report.planning.numbers import say_amount, say_answer, say_goal
from dialgauge.report.planning.wishes import has_few_raters
from dialgauge.report.text import clean, join
from dialgauge.stats.components import Score
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan import Simulation
from dialgauge.stats.plan.search import PricedLayout


def name_scores(plan: StudyPlan) -> dict[str, Score]:
    """Return the score of one rating and that of all raters of a target, by name."""
    options = plan.options
    return {"Rel(1)": Score(), f"Rel({options.per_target})": Score(options.per_target, options.replicates)}


def title_of_plan(plan: StudyPlan) -> str:
    """Return the name of the planned study, such as ``200 targets, 40 raters, 5 on each target``."""
    options = plan.options
    sizes = [plural(n, noun) for n, noun in ((options.targets, "target"), (options.raters, "rater")) if n is not None]
    return ", ".join([*sizes, f"{options.per_target} {'on each' if sizes else 'raters per'} target"])


def title_of_targets(plan: StudyPlan) -> str:
    """Return the heading of the table of what targets buy."""
    return f"What targets buy, by formula, with {plan.options.per_target} raters per target"


def count_runs(simulation: Simulation) -> str:
    """Say by which model simulated studies were analysed, and how many of them gave what."""
    zero = [f"{facet.replace('cell', 'target × rater')} in {n:,}" for facet, n in simulation.boundary.items() if n]
    edge = f"a variance was estimated as zero, that of {join(zero)}" if zero else "no variance was estimated as zero"
    model = simulation.model.replace("_", " ")
    return (
        f"{simulation.runs:,} studies, analysed by the {model} model: {simulation.no_fit:,} gave no estimate, "
        f"{simulation.no_interval:,} an estimate without an interval; {edge}."
    )


def describe_plan(plan: StudyPlan) -> str:
    """Say in one line which design is planned, and what is assumed of the ratings."""
    options, layout = plan.options, plan.layout
    if layout is not None:
        sizes = f"{plural(layout.n_targets, 'target')} × {plural(layout.n_raters, 'rater')}"
    elif options.targets is not None:
        sizes = f"{plural(options.targets, 'target')}, raters left open"
    elif options.raters is not None:
        sizes = f"{plural(options.raters, 'rater')}, targets left open"
    else:
        sizes = "targets and raters left open"
    often = f", {options.replicates} replicates" if options.replicates > 1 else ""
    ratings = "" if layout is None else f", {plural(layout.n_ratings, 'rating')}"
    return f"{sizes}, {options.per_target} raters per target{often}{ratings}; {_assumed(plan)}"


def _assumed(plan: StudyPlan) -> str:
    if plan.components is None:
        return "nothing assumed of the ratings"
    values = [f"{name} = {decimal(plan.components.reliability(score))}" for name, score in name_scores(plan).items()]
    pilot = plan.options.pilot
    return f"assumed{'' if pilot is None else f' from the pilot ({clean(pilot.name)})'}: {', '.join(values)}"


def conclude_plan(plan: StudyPlan) -> str:
    """Say in at most three sentences what the plan comes to."""
    options = plan.options
    answers = {answer.key: answer for answer in plan.answers}
    if plan.components is None:
        if "least_detectable_icc" not in answers:
            return f"What targets buy with {options.per_target} raters each, whatever the ratings will be."
        least = say_answer(answers["least_detectable_icc"])
        return (
            f"{plural(options.targets or 0, 'target')} with {options.per_target} ratings each show with a probability "
            f"of {say_goal(options.power)} that ICC(1) exceeds {options.ruled_out:g}, if it is {least} or more."
        )
    sentences = []
    if plan.layout is not None:
        name, (low, high) = (
            f"Rel({options.per_target})",
            (say_answer(answers[f"rel_k_{end}"]) for end in ("low", "high")),
        )
        assumed, power = say_answer(answers["rel_k_assumed"]), _in_words(say_answer(answers["rel_k_power"]))
        goal = say_goal(options.wanted)
        sentences = [
            f"If {name} is {assumed}, its {options.level_text} interval is expected to run from {low} to {high}.",
            f"That it is at least {goal} is shown with a probability of {power}.",
        ]
    return " ".join([*sentences, _say_cheapest(plan)])


def _in_words(power: str) -> str:
    return power.replace(">", "more than ").replace("<", "less than ")


def _say_cheapest(plan: StudyPlan) -> str:
    options, found = plan.options, plan.for_wanted
    goal = f"a reliability of at least {say_goal(options.wanted)} with a probability of {say_goal(options.power)}"
    if found is None or isinstance(found, Refusal):
        return f"No design within the limits shows {goal}."
    few = "; with so few raters, simulate it first" if has_few_raters(found[0]) else ""
    return f"The cheapest design that shows {goal}: {_describe_priced(found[0])}{few}."


def _describe_priced(option: PricedLayout) -> str:
    """Say what a design is, and what it costs."""
    layout = option.layout
    often = f", {layout.replicates} replicates" if layout.replicates > 1 else ""
    return (
        f"{plural(layout.n_targets, 'target')}, {plural(layout.n_raters, 'rater')}, {layout.per_target} per target"
        f"{often}, at a cost of {say_amount(option.cost)}"
    )


def number_sources(plan: StudyPlan) -> dict[str, int]:
    """Return the sources of the answers with the numbers by which they are cited, from 1."""
    return {source: i for i, source in enumerate(dict.fromkeys(answer.source for answer in plan.answers), start=1)}


def group_answers(plan: StudyPlan) -> dict[str, list[Answer]]:
    """Return the answers by group, in their order."""
    found: dict[str, list[Answer]] = {}
    for answer in plan.answers:
        found.setdefault(answer.group, []).append(answer)
    return found
