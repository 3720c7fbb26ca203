"""The folder of a study: what study.toml says, and a new one that works."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from dialgauge.errors import InstrumentError, StudyError, TableError
from dialgauge.instruments import load_instrument
from dialgauge.io.dialogues import read_dialogues
from dialgauge.io.store import open_store
from dialgauge.io.study import init_study, read_study
from dialgauge.model import Budget, CodeRater, Limits, LlmRater, PeopleSettings, PromptSettings, Study

HEAD = 'name = "s"\ninstrument = "crs_que"\n'
RATER = '[[raters]]\nname = "m"\nkind = "llm"\nmodel = "x"\nendpoint = "fake"\n'
CODE = '[[raters]]\nname = "c"\nkind = "code"\n'

OWN = """
name = "own"
version = "1"
title = "Own"
scale = { level = "ordinal", points = [1, 2, 3] }
dimensions = [{ name = "tone", title = "Tone" }, { name = "turns", title = "Turns" }]
"""


def write(folder: Path, text: str) -> Path:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_study_is_read_from_its_folder_or_its_file(tmp_path: Path) -> None:
    write(tmp_path, "\ufeff" + HEAD + RATER)
    folder = read_study(tmp_path)
    assert folder == read_study(tmp_path / "study.toml") == read_study(str(tmp_path))
    assert folder.root == tmp_path
    assert folder.instrument == load_instrument("crs_que")
    assert folder.measures is None
    assert folder.store_url == str(tmp_path / "study.db")
    assert folder.targets_path == tmp_path / "targets.jsonl"


@pytest.mark.parametrize("named", ["own.toml", "./own.toml", "sub/own.toml"])
def test_an_instrument_file_is_looked_for_beside_the_study(tmp_path: Path, named: str) -> None:
    (tmp_path / named).parent.mkdir(exist_ok=True)
    (tmp_path / named).write_text(OWN)
    assert read_study(write(tmp_path, f'name = "s"\ninstrument = "{named}"\n{RATER}')).instrument.name == "own"


def test_each_rater_has_its_dimensions(tmp_path: Path) -> None:
    text = f'{HEAD}dimensions = ["novelty", "accuracy"]\n{RATER}{CODE}'
    text += '[[raters]]\nname = "d"\nkind = "code"\nmeasures = ["turns"]\n'
    text += '[[raters]]\nname = "f"\nkind = "code"\nfunction = "module:rate"\n'
    folder = read_study(write(tmp_path, text))
    measures = load_instrument("measures")
    dimensions = {rater.name: folder.dimensions_of(rater) for rater in folder.study.raters}
    assert dimensions == {
        "m": ("accuracy", "novelty"),
        "c": measures.dimension_names,
        "d": ("turns",),
        "f": ("accuracy", "novelty"),
    }
    assert folder.measures == measures
    assert [folder.instrument_of(rater).name for rater in folder.study.raters] == [
        "crs_que",
        "measures",
        "measures",
        "crs_que",
    ]
    assert {*folder.scales()} == {"accuracy", "novelty", *measures.dimension_names}
    assert folder.scales()["turns"] == measures.scale_for("turns")


def test_all_dimensions_are_rated_where_none_is_chosen(tmp_path: Path) -> None:
    folder = read_study(write(tmp_path, HEAD + RATER))
    assert folder.dimensions_of(folder.study.raters[0]) == folder.instrument.dimension_names


def test_a_dimension_on_two_scales_is_refused_unless_only_one_is_rated(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    head = 'name = "s"\ninstrument = "own.toml"\n'
    with pytest.raises(StudyError, match=r"'turns' is in the instrument 'own' and among the measures of the rater 'c'"):
        read_study(write(tmp_path, f"{head}{RATER}{CODE}"))
    read_study(write(tmp_path, f'{head}{RATER}{CODE}measures = ["words_per_turn_user"]\n'))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name = ", r"study\.toml is not valid TOML: .*line 1, .*; correct that line"),
        (RATER, r"study\.toml: name is missing; add the key 'name' \(and 1 more problem\)$"),
        (HEAD, "raters is missing; .* or \\[people\\] where people rate$"),
        (HEAD + "raters = []\n", "raters is empty; add a table \\[\\[raters\\]\\] for a model or code, or"),
        (HEAD + "[people]\nper_targets = 3\n", r"people\.per_targets is not a key .*; did you mean 'per_target'\?$"),
        (HEAD + "[people]\nper_target = 0\n", r"people\.per_target: .*greater than or equal to 1"),
        (HEAD + "[people]\nreservation_minutes = 0\n", r"people\.reservation_minutes: .*greater than 0"),
        (HEAD + "[people]\nmost_per_rater = 1.5\n", r"people\.most_per_rater: should be a whole number, got 1\.5"),
        (HEAD + 'dimensions = ["wit"]\n[people]\n', r"dimensions: instrument 'crs_que' has no dimension 'wit'"),
        (HEAD + "replicas = 3\n" + RATER, "replicas is not a key that is known here; did you mean 'replicates'\\?$"),
        (
            HEAD + RATER + "heat = 1\n",
            r"raters\[1\] \('m'\) heat is not a key .*allowed are name, kind, model, endpoint",
        ),
        (HEAD + RATER + "temperature = -1\n", r"raters\[1\] \('m'\) temperature: .*greater than or equal to 0"),
        (HEAD + CODE + 'function = "f:g"\nmeasures = ["turns"]\n', "has a function and measures; give one of the two"),
        (
            HEAD + RATER + "temperatur = 1\n",
            r"temperatur is not a key that is known here; did you mean 'temperature'\?$",
        ),
        (HEAD + RATER.replace("llm", "lllm"), r"raters\[1\] \('m'\): kind is 'lllm'; did you mean 'llm'\?$"),
        (HEAD + RATER + "replicates = 1.5\n", "replicates: should be a whole number, got 1.5$"),
        (HEAD + RATER.replace('"fake"', '"127.0.0.1:8080/v1"'), r"endpoint: '127.0.0.1:8080/v1' is neither a URL nor"),
        (HEAD + RATER.replace('"fake"', '"lcoal"'), r"endpoint: 'lcoal' is neither .*; did you mean 'local'\?$"),
        (HEAD + RATER + "threads = 2\n", "has threads but another endpoint than 'local'"),
        (HEAD + 'dimensions = ["acuracy"]\n' + RATER, r"has no dimension 'acuracy'; did you mean 'accuracy'\?$"),
        (HEAD + '[[raters]]\nname = "m"\n', r"raters\[1\] \('m'\): .*add kind = \"llm\" or kind = \"code\""),
        (HEAD + RATER.replace('"llm"', '"human"'), r"raters\[1\] \('m'\): .*'human'.*'llm', 'code'"),
        (HEAD + RATER + RATER, "the rater 'm' is named twice"),
        (
            HEAD + 'dimensions = ["wit"]\n' + RATER,
            r"study\.toml: dimensions: instrument 'crs_que' has no dimension 'wit'",
        ),
        (HEAD + CODE + 'measures = ["wit"]\n', r"raters\[1\] \('c'\) measures: instrument 'measures' has no dimension"),
        (HEAD + RATER + "[limits]\ntimeout = 0\n", r"limits\.timeout: .*greater than 0"),
        (
            HEAD + RATER + '[prompt]\ndimensions_per_call = "some"\n',
            r"dimensions_per_call: should be 'one' or 'all', or a whole number, got 'some'$",
        ),
        (HEAD + RATER + "[budget]\ncost = nan\n", r"budget\.cost: .*finite"),
        (
            HEAD + 'store = "postgresql://u:${DG_NONE}@h/n"\n' + RATER,
            "the environment variable DG_NONE, which is not set",
        ),
    ],
)
def test_what_is_wrong_is_said_with_file_key_and_remedy(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(StudyError, match=why) as refused:
        read_study(write(tmp_path, text))
    assert "\n" not in str(refused.value)


def test_an_instrument_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InstrumentError, match="there is no instrument 'crs'"):
        read_study(write(tmp_path, HEAD.replace("crs_que", "crs") + RATER))
    with pytest.raises(InstrumentError, match=r"there is no instrument file .*own\.toml"):
        read_study(write(tmp_path, HEAD.replace("crs_que", "own.toml") + RATER))


def test_a_study_that_is_not_there_or_is_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"there is no study .*study\.toml; .*dialgauge init"):
        read_study(tmp_path)
    (tmp_path / "study.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(StudyError, match="is not UTF-8 text"):
        read_study(tmp_path)
    (tmp_path / "study.toml").write_bytes(b"#" * 2_000_001)
    with pytest.raises(StudyError, match="too large for a study"):
        read_study(tmp_path)


def test_a_password_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DG_PASSWORD", "secret")
    text = HEAD + 'store = "postgresql://u:${DG_PASSWORD}@h/n"\n' + RATER
    folder = read_study(write(tmp_path, text))
    assert folder.store_url == "postgresql://u:secret@h/n"
    assert "secret" not in folder.study.model_dump_json()


def test_a_new_study_can_be_read_and_has_three_dialogues_and_an_empty_store(tmp_path: Path) -> None:
    made = init_study(tmp_path / "a study")
    assert [path.name for path in made] == ["study.toml", "targets.jsonl", "study.db"]
    folder = read_study(tmp_path / "a study")
    assert folder.study.name == "a study"
    (rater,) = folder.study.raters
    assert isinstance(rater, LlmRater)
    assert rater.endpoint == "fake"
    assert len(read_dialogues(folder.targets_path)) == 3
    with open_store(folder.store_url) as store:
        assert store.count_targets() == 0


def test_every_example_in_a_new_study_works_when_it_is_taken_in(tmp_path: Path) -> None:
    init_study(tmp_path)
    path = tmp_path / "study.toml"
    lines = path.read_text().splitlines()
    taken_in = [line.removeprefix("# ") if "=" in line or "# [" in line else line for line in lines]
    path.write_text("\n".join(taken_in))
    folder = read_study(tmp_path)
    assert [rater.name for rater in folder.study.raters] == ["made-up", "remote", "local", "counts", "rules"]
    assert folder.study.dimensions == folder.instrument.dimension_names[:2]
    assert isinstance(folder.study.raters[-1], CodeRater)
    assert folder.study.people == PeopleSettings(
        most_per_rater=20, instructions="instructions.txt", title="Films by conversation"
    )


@pytest.mark.parametrize("named", [lambda f: f / "own", lambda f: str(f / "own"), lambda f: str(f / "own.toml")])
def test_a_new_study_takes_an_instrument_file_and_dialogues_along(
    tmp_path: Path, named: Callable[[Path], str | Path]
) -> None:
    for name in ("own", "own.toml"):
        (tmp_path / name).write_text(OWN)
    (tmp_path / "mine.csv").write_text("target,speaker,text\na,user,Hi\nb,user,Ho\n")
    made = init_study(tmp_path / "s", instrument=named(tmp_path), targets=tmp_path / "mine.csv")
    assert [path.name for path in made] == ["study.toml", "instrument.toml", "targets.jsonl", "study.db"]
    folder = read_study(tmp_path / "s")
    assert folder.instrument == load_instrument(tmp_path / "own.toml")
    assert read_dialogues(folder.targets_path) == read_dialogues(tmp_path / "mine.csv")


@pytest.mark.parametrize("there", ["study.toml", "targets.jsonl", "study.db"])
def test_nothing_that_is_there_is_overwritten(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("precious")
    with pytest.raises(StudyError, match=f"{there} exists, and nothing is overwritten"):
        init_study(tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(there, "precious")]


def test_a_study_that_cannot_be_begun_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "s"
    bad = tmp_path / "bad.jsonl"
    bad.write_text("nonsense")
    with pytest.raises(StudyError, match=r"line 1 of .*bad\.jsonl is not JSON"):
        init_study(folder, targets=bad)
    with pytest.raises(InstrumentError, match="there is no instrument 'none'"):
        init_study(folder, instrument="none")
    with pytest.raises(StudyError, match="the study cannot be written to"):
        init_study(bad / "s")
    assert not folder.exists()

    def fail(*_: object, **__: object) -> None:
        raise TableError("no")

    monkeypatch.setattr("dialgauge.io.study.open_store", fail)
    with pytest.raises(TableError):
        init_study(folder)
    assert [*folder.iterdir()] == []


def test_an_odd_name_of_a_folder_is_written_so_that_it_can_be_read(tmp_path: Path) -> None:
    init_study(tmp_path / 'a "b" \\ ü')
    assert read_study(tmp_path / 'a "b" \\ ü').study.name == 'a "b" \\ ü'


@pytest.mark.parametrize("record", [Study, LlmRater, CodeRater, PeopleSettings, PromptSettings, Budget, Limits])
def test_every_key_of_a_study_is_on_its_page(record: type[BaseModel]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")
    rows = "\n".join(line.rpartition(" | ")[0] for line in page.splitlines() if line.startswith("|"))
    assert {key for key in record.model_fields if f"`{key}`" not in rows} <= {"kind"}
