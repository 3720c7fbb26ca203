"""Pages out of templates: everything that is put into them is escaped; and the files that belong to them."""

import hashlib
from functools import lru_cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined

from dialgauge.collect.web.links import link

FILES = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "wait.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""The files beside the pages, and their types."""


@lru_cache(maxsize=1)
def load_files() -> dict[str, bytes]:
    """Return the contents of the files beside the pages."""
    folder = resources.files("dialgauge.collect.web") / "static"
    return {name: (folder / name).read_bytes() for name in FILES}


@lru_cache(maxsize=1)
def files_version() -> str:
    """Return a word that changes with the files, so that a browser may keep them."""
    return hashlib.sha256(b"".join(load_files().values())).hexdigest()[:12]


def render(name: str, **content: object) -> str:
    """Return the page of the template called ``name``."""
    return _environment().get_template(f"{name}.html.j2").render(version=files_version(), **content)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("dialgauge.collect.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["link"] = link
    environment.filters["minutes"] = _say_minutes
    return environment


def _say_minutes(number: float) -> str:
    return f"{number:g} minute{'' if number == 1 else 's'}"
