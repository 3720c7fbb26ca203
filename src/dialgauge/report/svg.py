"""Make an SVG fit for a page with others: words for screen readers, identifiers of its own."""

import re
from html import escape

_ROOT = re.compile(r"<svg\b[^>]*>")
_IDS = re.compile(r'\bid="([^"]+)"')
_ROLES = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')


def finish_svg(svg: str, *, name: str, title: str, description: str) -> str:
    """Return ``svg`` with a title and a description, its identifiers prefixed with ``name``.

    Identifiers that Vega numbers from one would otherwise clash between the figures of a page.
    """
    svg = _ROLES.sub("", svg)
    for old in set(_IDS.findall(svg)):
        new = f"{name}-{old}"
        svg = svg.replace(f'id="{old}"', f'id="{new}"').replace(f"url(#{old})", f"url(#{new})")
        svg = svg.replace(f'href="#{old}"', f'href="#{new}"')
    root = _ROOT.search(svg)
    if root is None:
        return svg
    opening = root[0].removesuffix(">") + f' role="img" aria-labelledby="{name}-title {name}-desc">'
    words = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    return svg[: root.start()] + opening + words + svg[root.end() :]
