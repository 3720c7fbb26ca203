"""The application: its commands, in groups that follow the path of the data."""

from typing import Annotated

import typer

from dialgauge.cli.abilities import report_abilities
from dialgauge.cli.agreement import report_agreement
from dialgauge.cli.backup import back_up_study
from dialgauge.cli.check import check_raters_of
from dialgauge.cli.compare import compare_systems_in
from dialgauge.cli.decide import decide_on
from dialgauge.cli.demo import show_demo
from dialgauge.cli.evaluate import evaluate_systems
from dialgauge.cli.export import export_study
from dialgauge.cli.help import CalmCommand, CalmGroup
from dialgauge.cli.init import begin_study
from dialgauge.cli.instruments import show_instruments
from dialgauge.cli.kinds import report_kinds
from dialgauge.cli.models import models
from dialgauge.cli.monitor import declare_anchors, monitor_anchors
from dialgauge.cli.output import put
from dialgauge.cli.people import show_people
from dialgauge.cli.plan import plan_study_of
from dialgauge.cli.probe import probe_raters_of
from dialgauge.cli.rate import collect_ratings
from dialgauge.cli.raters import report_raters
from dialgauge.cli.reliability import report_reliability
from dialgauge.cli.retest import report_retest
from dialgauge.cli.serve import serve_people
from dialgauge.cli.simulate import simulate_dialogues

PANELS = ("Prepare", "Simulate", "Collect", "Analyse", "Decide")
"""The groups of commands, in the order in which data pass through them."""

app = typer.Typer(
    cls=CalmGroup,
    help="Tell which scores of a conversation can be trusted, and for what.",
    epilog="A first look: dialgauge demo",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("init", rich_help_panel="Prepare", no_args_is_help=True)(begin_study)
app.command("instruments", rich_help_panel="Prepare")(show_instruments)
app.command("plan", rich_help_panel="Prepare")(plan_study_of)
app.command("backup", rich_help_panel="Prepare", no_args_is_help=True)(back_up_study)
app.command("demo", rich_help_panel="Simulate")(show_demo)
app.command("simulate", rich_help_panel="Simulate", no_args_is_help=True)(simulate_dialogues)
app.command("evaluate", rich_help_panel="Simulate", no_args_is_help=True)(evaluate_systems)
app.add_typer(models, name="models", rich_help_panel="Collect")
app.command("rate", rich_help_panel="Collect", no_args_is_help=True)(collect_ratings)
app.command("serve", rich_help_panel="Collect", no_args_is_help=True)(serve_people)
app.command("people", rich_help_panel="Collect", no_args_is_help=True)(show_people)
app.command("check", rich_help_panel="Collect", no_args_is_help=True)(check_raters_of)
app.command("probe", rich_help_panel="Collect", no_args_is_help=True)(probe_raters_of)
app.command("export", rich_help_panel="Collect", no_args_is_help=True)(export_study)
app.command("reliability", rich_help_panel="Analyse", no_args_is_help=True)(report_reliability)
app.command("agreement", rich_help_panel="Analyse", no_args_is_help=True)(report_agreement)
app.command("raters", rich_help_panel="Analyse", no_args_is_help=True)(report_raters)
app.command("kinds", rich_help_panel="Analyse", no_args_is_help=True)(report_kinds)
app.command("retest", rich_help_panel="Analyse", no_args_is_help=True)(report_retest)
app.command("abilities", rich_help_panel="Analyse", no_args_is_help=True)(report_abilities)
app.command("compare", rich_help_panel="Analyse", no_args_is_help=True)(compare_systems_in)
app.command("decide", rich_help_panel="Decide", no_args_is_help=True)(decide_on)
app.command("anchor", rich_help_panel="Decide", no_args_is_help=True)(declare_anchors)
app.command("monitor", rich_help_panel="Decide", no_args_is_help=True)(monitor_anchors)

for nested in app.registered_groups:
    nested.cls = CalmGroup
for group in (app, models):
    for command in group.registered_commands:
        command.cls = CalmCommand


def _show_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        put(f"dialgauge {version('dialgauge')}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True, no_args_is_help=True)
def _start(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Tell which scores of a conversation can be trusted, and for what."""
