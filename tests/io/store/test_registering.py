"""What a study consists of is kept once, and nothing changes under its name."""

from typing import Any

import pytest
import sqlalchemy as sa

from dialgauge.errors import StoreError
from dialgauge.io.store import RaterEntry, Store
from dialgauge.io.store.records import describe_rater
from dialgauge.io.store.tables import targets
from dialgauge.model import (
    CodeRater,
    Dimension,
    FakeSettings,
    Instrument,
    LlmRater,
    Price,
    PromptSettings,
    Scale,
    Study,
)

from .examples import INSTRUMENT, TEMPLATE, dialogue, failed, fill, item, study


def rate(store: Store, *targets: str) -> None:
    """Register a rater and targets, and write a rating of the first of them on each dimension."""
    names = targets or ("a", "b")
    number = fill(store, names)
    store.write(number, [item(names[0], "tone"), item(names[0], "pace")])


def changed(**fields: Any) -> Instrument:  # noqa: ANN401 (any field)
    return INSTRUMENT.model_copy(update=fields)


def test_registering_the_same_again_changes_nothing(store: Store) -> None:
    for _ in range(2):
        store.register(study("m"), INSTRUMENT, template=TEMPLATE)
        store.add_targets([dialogue("a")])
    assert len(store.raters()) == store.count_targets() == 1


def test_new_raters_targets_dimensions_and_replicates_are_added(store: Store) -> None:
    fill(store)
    wider = changed(version="2", dimensions=(*INSTRUMENT.dimensions, Dimension(name="wit", title="Wit")))
    more = study("m", "n").model_copy(update={"replicates": 9})
    store.register(more, wider, template=TEMPLATE)
    assert store.add_targets([dialogue("a"), dialogue("c")]) == 1
    assert [rater.name for rater in store.raters()] == ["m", "n"]
    assert [*store.scales()] == ["tone", "pace", "wit"]
    assert store.instrument() == wider


def test_a_dimension_that_is_no_longer_rated_keeps_its_scale(store: Store) -> None:
    fill(store)
    store.register(study("m"), changed(dimensions=INSTRUMENT.dimensions[:1]), template=TEMPLATE)
    assert store.scales()["pace"] == INSTRUMENT.scale


@pytest.mark.parametrize(
    ("instrument", "what"),
    [
        (changed(scale=Scale.parse("1:7")), "scale of the dimension 'tone'"),
        (changed(dimensions=(Dimension(name="tone", title="Other"),)), "title of the dimension 'tone'"),
        (
            changed(dimensions=(Dimension(name="pace", title="Pace", rubric="1: slow"),)),
            "rubric of the dimension 'pace'",
        ),
    ],
)
def test_a_changed_dimension_is_refused_by_name(store: Store, instrument: Instrument, what: str) -> None:
    rate(store)
    with pytest.raises(StoreError, match=rf"{what} in the instrument 'small' has changed.*give the dimension another"):
        store.register(study("m", "n"), instrument, template=TEMPLATE)
    assert [rater.name for rater in store.raters()] == ["m"]


def test_measures_may_share_a_name_with_the_study_on_another_instrument(store: Store) -> None:
    measures = Instrument(
        name="measures",
        version="1",
        title="M",
        dimensions=(Dimension(name="turns", title="T", scale=Scale.parse("0:9")),),
    )
    store.register(study("m"), INSTRUMENT, measures=measures)
    assert store.scales() == {"tone": INSTRUMENT.scale, "pace": INSTRUMENT.scale, "turns": Scale.parse("0:9")}
    assert store.instrument() == INSTRUMENT


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"temperature": 0.5}, r"temperature was 1\.0, is now 0\.5\)"),
        ({"max_tokens": 9, "top_p": 0.5}, r"max_tokens was 300, is now 9; top_p was not set, is now 0\.5\)"),
    ],
)
def test_a_rater_with_other_settings_is_refused_by_name(store: Store, settings: dict[str, Any], what: str) -> None:
    rate(store)
    with pytest.raises(StoreError, match=rf"the rater 'm' has changed since it rated \({what}.*another name"):
        store.register(study("m", **settings), INSTRUMENT, template=TEMPLATE)
    store.register(study("m"), INSTRUMENT, template=TEMPLATE)


def test_a_rater_a_dimension_and_a_target_that_only_failed_are_replaced(store: Store) -> None:
    store.write(fill(store), [failed("a", "tone")])
    other = changed(dimensions=(Dimension(name="tone", title="Other"), INSTRUMENT.dimensions[1]))
    store.register(study("m", temperature=0.5), other, template="Other {{ dialogue }}.")
    assert store.raters()[0].settings["temperature"] == 0.5
    assert store.raters()[0].template == "Other {{ dialogue }}."
    assert store.instrument() == other
    assert store.add_targets([dialogue("a", "Other."), dialogue("b")]) == 0
    assert [*store.targets()] == [dialogue("a", "Other."), dialogue("b")]
    assert store.attempts().height == 1


def test_a_rehearsal_leaves_nothing_behind(store: Store) -> None:
    with store.rehearse():
        fill_in = study("m")
        store.register(fill_in, INSTRUMENT, template=TEMPLATE)
        assert store.add_targets([dialogue("a")]) == 1
        assert [d.id for d in store.targets()] == ["a"]
        with pytest.raises(StoreError, match="twice with two contents"):
            store.add_targets([dialogue("b"), dialogue("b", "Other.")])
        assert store.count_targets() == 1
    assert store.count_targets() == 0
    assert store.raters() == ()
    assert store.instrument() is None
    fill(store)
    assert store.count_targets() == 2


def test_code_that_was_mended_is_refused_under_its_name_once_it_rated(store: Store) -> None:
    written = Study(name="e", instrument="small", raters=(CodeRater(name="c", kind="code", function="a:b"),))
    for code in ("1", "2"):
        store.register(written, INSTRUMENT, code={"c": code})
    store.add_targets([dialogue("a")])
    store.write(store.begin_run({}, seed=1), [item("a", rater="c")])
    store.register(written, INSTRUMENT)
    store.register(written, INSTRUMENT, code={"c": "2"})
    with pytest.raises(StoreError, match=r"rater 'c' has changed .*\(its code is not what it was\); .* another name"):
        store.register(written, INSTRUMENT, code={"c": "3"})


def test_code_that_rated_before_its_hash_was_kept_is_taken_as_it_is(store: Store) -> None:
    written = Study(name="e", instrument="small", raters=(CodeRater(name="c", kind="code", function="a:b"),))
    store.register(written, INSTRUMENT)
    store.add_targets([dialogue("a")])
    store.write(store.begin_run({}, seed=1), [item("a", rater="c")])
    store.register(written, INSTRUMENT, code={"c": "1"})
    assert store.raters()[0].settings == {"function": "a:b"}


def test_the_settings_of_the_fake_model_are_written_as_they_were_before_occasions(store: Store) -> None:
    fake = FakeSettings(noise=0.2)
    store.register(study("m", fake=fake), INSTRUMENT, template=TEMPLATE)
    assert "shift_by_occasion" not in store.raters()[0].settings["fake"]  # type: ignore[operator]
    store.register(
        study("m", fake=fake.model_copy(update={"shift_by_occasion": (0.5,)})), INSTRUMENT, template=TEMPLATE
    )
    assert store.raters()[0].settings["fake"]["shift_by_occasion"] == [0.5]  # type: ignore[index]


def test_the_targets_that_were_given_are_told_from_others(store: Store) -> None:
    store.add_targets([dialogue("a")])
    store.add_targets([dialogue("p")], purpose="planted")
    assert store.given_targets() == {"a"}


def test_another_prompt_is_another_rater(store: Store) -> None:
    rate(store)
    with pytest.raises(
        StoreError, match=r"the rater 'm' has changed since it rated \(the text of its prompt is another"
    ):
        store.register(study("m"), INSTRUMENT, template="Other.")
    shuffled = study("m").model_copy(update={"prompt": PromptSettings(order="shuffled")})
    with pytest.raises(StoreError, match=r"prompt\.order was \"fixed\", is now \"shuffled\"\)"):
        store.register(shuffled, INSTRUMENT, template=TEMPLATE)


def test_how_a_rater_is_called_may_change(store: Store) -> None:
    rate(store)
    settings = {"concurrency": 2, "key_env": "KEY", "price": Price(input=1.0, output=2.0), "replicates": 7}
    settings["own_systems"] = ("s",)
    store.register(study("m", **settings), INSTRUMENT, template=TEMPLATE)


def test_the_threads_of_a_local_model_do_not_make_another_rater_of_it() -> None:
    one, two = (LlmRater(name="n", kind="llm", model="m", endpoint="local", threads=n) for n in (1, 2))
    assert describe_rater(one, PromptSettings()) == describe_rater(two, PromptSettings())


def test_a_code_rater_may_get_more_measures_but_no_other_function(store: Store) -> None:
    def of(rater: CodeRater) -> Study:
        return Study(name="example", instrument="small", raters=(rater,))

    store.register(of(CodeRater(name="c", kind="code", measures=("turns",))), INSTRUMENT, template=TEMPLATE)
    store.register(of(CodeRater(name="c", kind="code", measures=("turns", "words"))), INSTRUMENT, template="Other.")
    store.add_targets([dialogue("a")])
    store.write(store.begin_run({}, seed=1), [item("a", rater="c")])
    with pytest.raises(StoreError, match=r"\(function was not set, is now \"a:b\"\)"):
        store.register(of(CodeRater(name="c", kind="code", function="a:b")), INSTRUMENT)
    with pytest.raises(StoreError, match=r"\(kind was \"code\", is now \"llm\"; "):
        store.register(of(LlmRater(name="c", kind="llm", model="m")), INSTRUMENT)  # type: ignore[arg-type]


def test_a_variant_names_its_base_and_has_a_prompt_of_its_own(store: Store) -> None:
    variant = RaterEntry(name="m/turned", kind="llm", settings={"x": 1}, template="T", base="m", variant="turned scale")
    store.register(study("m"), INSTRUMENT, variant, template=TEMPLATE)
    assert store.raters()[1] == variant
    stray = RaterEntry(name="n/turned", kind="llm", base="n", variant="turned scale")
    with pytest.raises(StoreError, match="'n/turned' is a variant of 'n', which is not in the store"):
        store.register(study("m"), INSTRUMENT, stray, template=TEMPLATE)


def test_a_target_that_changed_is_refused_by_name_and_nothing_of_the_file_is_added(store: Store) -> None:
    rate(store)
    said = r"the target 'a' has changed .*\(turns\[1\]\.text was \"Hello\.\", is now \"Other\.\"\).*another id"
    with pytest.raises(StoreError, match=said):
        store.add_targets([dialogue("new"), dialogue("a", "Other.")])
    assert [d.id for d in store.targets()] == ["a", "b"]


def test_a_target_cannot_come_twice_with_two_contents_at_once(store: Store) -> None:
    with pytest.raises(StoreError, match="the target 'a' is there twice with two contents"):
        store.add_targets([dialogue("a"), dialogue("a", "Other.")])
    assert store.add_targets([dialogue("a"), dialogue("a")]) == 1


def test_a_dialogue_without_a_system_has_the_hash_that_it_had_before_there_were_any(store: Store) -> None:
    before = '{"audio":null,"id":"a","turns":[{"end":null,"speaker":"user","start":null,"text":"Hello."}]}'
    known = {"id": "a", "purpose": "study", "dialogue": before}
    known["hash"] = "cc847cc19e1645fbd86813ee773a8d3cb7dff0fa94cd46827c9f0a7db21a5315"
    with store._begin(write=True) as connection:
        connection.execute(sa.insert(targets), known)
    assert store.add_targets([dialogue("a"), dialogue("b")]) == 1
    assert [*store.targets()] == [dialogue("a"), dialogue("b")]


def test_the_system_of_a_dialogue_is_kept_and_a_change_of_it_refused(store: Store) -> None:
    named = dialogue("a").model_copy(update={"system": "s"})
    store.add_targets([named])
    assert store.add_targets([named]) == 0
    assert next(store.targets()).system == "s"
    rate(store, "b")
    store.write(store.begin_run({}, seed=1), [item("a")])
    with pytest.raises(StoreError, match=r"the target 'a' has changed .*\(system was \"s\", is now not set\)"):
        store.add_targets([dialogue("a")])


def test_a_target_keeps_its_purpose(store: Store) -> None:
    store.add_targets([dialogue("a")])
    with pytest.raises(StoreError, match="known with the purpose 'study'; as 'anchor' it needs another id"):
        store.add_targets([dialogue("a")], purpose="anchor")


def test_names_that_no_database_takes_are_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="the character NUL"):
        store.add_targets([dialogue("a\0b")])
    with pytest.raises(StoreError, match="600 characters; at most 500"):
        store.add_targets([dialogue("a" * 600)])
    assert store.add_targets([dialogue("ä" * 500)]) == 1


def test_a_dialogue_that_is_no_unicode_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="the target 'a' has half of a surrogate pair"):
        store.add_targets([dialogue("a", "\ud83d")])
