"""docs/cli.md speaks of every command and option, and of no others."""

import re
from pathlib import Path

import typer

from dialgauge.cli.app import PANELS, app

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
ROOT = typer.main.get_command(app)
COMMANDS = dict(getattr(ROOT, "commands"))  # noqa: B009 (the parser's groups have no public type)


def options_of(command: object) -> set[str]:
    """Return the long options of a command."""
    return {name for parameter in getattr(command, "params") for name in parameter.opts if name.startswith("--")}  # noqa: B009


def options_within(command: object) -> set[str]:
    """Return the long options of a command, or of a group and all its commands."""
    return options_of(command).union(*map(options_of, getattr(command, "commands", {}).values()))


def section_of(command: str) -> str:
    """Return what the page says below the heading of a command."""
    parts = re.split(r"^## dialgauge (\w+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[command]


def documented_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    assert set(re.findall(r"^## dialgauge (\w+)$", PAGE, flags=re.MULTILINE)) == set(COMMANDS)


def test_every_option_of_a_command_stands_in_its_section_and_no_other() -> None:
    for name, command in COMMANDS.items():
        section = re.sub(r"^\$ .*$", "", section_of(name), flags=re.MULTILINE)
        assert documented_in(section) == options_within(command) - {"--help"}, name


def test_the_options_of_the_program_itself_are_on_the_page() -> None:
    introduction = PAGE.split("\n## ")[0]
    assert documented_in(introduction) == options_of(ROOT) | {"--help"}


def test_commands_are_in_the_group_that_the_page_says() -> None:
    said = dict(re.findall(r"^\| \[`dialgauge (\w+)`\]\(#dialgauge-\w+\) \| (\w+) \|", PAGE, flags=re.MULTILINE))
    assert said == {name: command.rich_help_panel for name, command in COMMANDS.items()}
    assert set(said.values()) <= set(PANELS)


def test_every_command_and_option_has_a_help_text() -> None:
    inner = {name: each for group in COMMANDS.values() for name, each in getattr(group, "commands", {}).items()}
    for name, command in (COMMANDS | inner).items():
        assert command.help, name
        assert [parameter.name for parameter in command.params if not getattr(parameter, "help", None)] == []


def test_the_page_lists_the_commands_in_the_order_of_the_help() -> None:
    listed = re.findall(r"^\| \[`dialgauge (\w+)`\]", PAGE, flags=re.MULTILINE)
    groups = {group.name for group in app.registered_groups}
    panels = {name: PANELS.index(str(command.rich_help_panel)) for name, command in COMMANDS.items()}
    order = [command.name for command in app.registered_commands] + sorted(map(str, groups))
    assert listed == sorted(listed, key=lambda name: (panels[name], order.index(name)))
