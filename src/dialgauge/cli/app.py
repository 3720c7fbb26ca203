"""The application: its commands, in groups that follow the path of the data."""

from typing import Annotated

import typer

from dialgauge.cli.agreement import report_agreement
from dialgauge.cli.demo import show_demo
from dialgauge.cli.instruments import show_instruments
from dialgauge.cli.output import put
from dialgauge.cli.plan import plan_study_of
from dialgauge.cli.raters import report_raters
from dialgauge.cli.reliability import report_reliability

PANELS = ("Prepare", "Simulate", "Collect", "Analyse", "Decide", "Report")
"""The groups of commands, in the order in which data pass through them."""

app = typer.Typer(
    help="Tell which scores of a conversation can be trusted, and for what.",
    epilog="A first look: dialgauge demo",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("instruments", rich_help_panel="Prepare")(show_instruments)
app.command("plan", rich_help_panel="Prepare")(plan_study_of)
app.command("demo", rich_help_panel="Simulate")(show_demo)
app.command("reliability", rich_help_panel="Analyse", no_args_is_help=True)(report_reliability)
app.command("agreement", rich_help_panel="Analyse", no_args_is_help=True)(report_agreement)
app.command("raters", rich_help_panel="Analyse", no_args_is_help=True)(report_raters)


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
