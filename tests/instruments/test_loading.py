"""An instrument is loaded by name or from a TOML file, and a wrong file is explained in one line."""

from pathlib import Path

import pytest

from dialgauge.errors import InstrumentError
from dialgauge.instruments import available_instruments, load_instrument

HEAD = 'name = "quick"\nversion = "1"\ntitle = "Quick"\n'
SCALE = '[scale]\nlevel = "ordinal"\npoints = [1, 2, 3]\n'
TONE = '[[dimensions]]\nname = "tone"\ntitle = "Tone"\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "quick.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_instruments_are_listed_by_name_and_all_load() -> None:
    assert "crs_que" in available_instruments()
    for name in available_instruments():
        assert load_instrument(name).name == name


def test_a_name_may_be_written_with_hyphens_or_capitals() -> None:
    assert load_instrument("crs-que") == load_instrument("CRS_Que") == load_instrument("crs_que")


def test_a_file_is_loaded_by_path_as_text_or_path_object(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + SCALE + TONE)
    assert load_instrument(path) == load_instrument(str(path))
    assert load_instrument(path).dimension_names == ("tone",)


def test_an_unknown_name_is_an_error_that_lists_what_exists() -> None:
    with pytest.raises(
        InstrumentError, match=r"no instrument 'crsque' \(did you mean 'crs_que'\?\); known are .*crs_que"
    ):
        load_instrument("crsque")
    with pytest.raises(InstrumentError, match=r"no instrument 'zzz'; known are .*crs_que.*TOML file"):
        load_instrument("zzz")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEAD + "[scale\n", r"not valid TOML: .*line 4"),
        (HEAD + "x =", r"not valid TOML: .*line 4"),
        (HEAD + SCALE, "dimensions is missing; add the key 'dimensions'"),
        (HEAD + TONE, "'tone' has no scale; add"),
        (HEAD + SCALE + TONE + TONE, "'tone' is defined twice; give"),
        (
            HEAD + SCALE + TONE + "colour = 3\n",
            r"dimensions\[1\] \('tone'\) colour is not a key .* allowed are name, title",
        ),
        ("colour = 3\n" + HEAD + SCALE + TONE, "colour is not a key .* allowed are name, version"),
        (HEAD + SCALE + "colour = 3\n" + TONE, r"scale.colour is not a key .* allowed are level, points"),
        (HEAD + SCALE + TONE + 'questions = [{txt = "x"}]\n', r"questions\[1\]"),
        (HEAD + SCALE + TONE + "[dimensions.scale]\nlevel = 3\n", r"dimensions\[1\] \('tone'\) scale.level: "),
        (HEAD + SCALE.replace("[1, 2, 3]", "[1, 3, 2]") + TONE, "scale.points: points must rise"),
        (HEAD.replace('"1"', "1") + SCALE + TONE, "version: should be a text, got 1; write it in quotation marks"),
        (HEAD + SCALE + "[[dimensions]]\nname = 'tone'\n", r"dimensions\[1\] \('tone'\) title is missing"),
        ("", "name is missing.*more problems"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_file_key_and_remedy(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InstrumentError, match=problem) as error:
        load_instrument(write(tmp_path, text))
    assert "quick.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_folder_binary_or_huge_file_is_an_instrument_error(tmp_path: Path) -> None:
    with pytest.raises(InstrumentError, match=r"no instrument file .*none.toml; check the path"):
        load_instrument(tmp_path / "none.toml")
    with pytest.raises(InstrumentError, match="cannot be read"):
        load_instrument(tmp_path)
    (tmp_path / "latin.toml").write_bytes("name = 'é'".encode("latin-1"))
    with pytest.raises(InstrumentError, match="not UTF-8"):
        load_instrument(tmp_path / "latin.toml")
    (tmp_path / "huge.toml").write_bytes(b"#" * 2_000_001)
    with pytest.raises(InstrumentError, match="too large"):
        load_instrument(tmp_path / "huge.toml")
