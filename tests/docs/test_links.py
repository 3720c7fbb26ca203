"""Links between the pages lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]

LINK = re.compile(r"\]\((?!https?://|#)(?P<path>[^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    dead = [path for path in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / path).exists()]
    assert dead == []


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / path).resolve() for path in LINK.findall(index.read_text(encoding="utf-8"))}
    missing = [str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md") if page not in {index, *listed}]
    assert missing == []
