"""An SVG that shares a page with others."""

from dialgauge.report.svg import finish_svg

RAW = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9"><defs><clipPath id="clip0"/></defs>'
    '<g clip-path="url(#clip0)" role="graphics-object" aria-label="old"><use href="#clip0"/></g></svg>'
)


def test_identifiers_and_their_uses_get_a_prefix() -> None:
    made = finish_svg(RAW, name="one", title="T", description="D")
    assert 'id="one-clip0"' in made
    assert "url(#one-clip0)" in made
    assert 'href="#one-clip0"' in made
    assert '"clip0"' not in made


def test_title_and_description_are_escaped_and_named_by_the_root() -> None:
    made = finish_svg(RAW, name="one", title="a < b", description='"&"')
    assert made.startswith(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" role="img" aria-labelledby="one-title one-desc">'
    )
    assert '<title id="one-title">a &lt; b</title><desc id="one-desc">&quot;&amp;&quot;</desc>' in made
    assert "graphics-object" not in made


def test_what_is_no_svg_stays_as_it_is() -> None:
    assert finish_svg("nothing", name="one", title="", description="") == "nothing"
