"""What is written for a paper compiles as it is, with booktabs and nothing else, whatever names are in it."""

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from .conftest import Command

LATEX = shutil.which("pdflatex")
pytestmark = pytest.mark.skipif(LATEX is None, reason="pdflatex is not on this machine (texlive-latex-recommended)")

NAME = "100% & more_of #1 {$x^2$}~\\"
DOCUMENT = r"""\documentclass{article}\usepackage{booktabs}\begin{document}\input{table}\end{document}"""
READING = ("--target", "dialogue", "--rater", "rater", "--scale", "1:5", "--latex", "table.tex")


@pytest.mark.parametrize(
    "verb",
    [
        ("reliability",),
        ("agreement",),
        ("kinds", "--kind", "kind"),
        ("retest", "--replicate", "replicate"),
        ("compare", "--system", "system"),
    ],
    ids=lambda verb: verb[0],
)
def test_a_table_compiles(verb: tuple[str, ...], tmp_path: Path, dialgauge: Command) -> None:
    command, *options = verb
    replicates = (1, 2, 3) if command == "retest" else (1,)
    with (tmp_path / "ratings.csv").open("w", encoding="utf-8") as file:
        file.write(f'dialogue,rater,kind,system,replicate,"{NAME}"\n')
        for t, (j, rater), r in product(range(12), enumerate("abcd"), replicates):
            value = 1 + (t + j * (t % 3) + r * (t % 2)) % 5
            file.write(f'd{t},{rater},{"human" if j < 2 else "llm"},"s_{t % 2}%",{r},{value}\n')
    done = dialgauge(command, "ratings.csv", *READING, "--dimensions", NAME, *options)
    assert (tmp_path / "table.tex").exists(), done.stderr
    (tmp_path / "paper.tex").write_text(DOCUMENT, encoding="utf-8")
    made = subprocess.run(
        [str(LATEX), "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )
    assert made.returncode == 0, made.stdout[-800:]
