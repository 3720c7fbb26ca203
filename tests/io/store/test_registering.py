"""What a study consists of is kept once, and nothing changes under its name."""

from typing import Any

import pytest

from dialgauge.errors import StoreError
from dialgauge.io.store import RaterEntry, Store
from dialgauge.model import CodeRater, Dimension, Instrument, LlmRater, Price, PromptSettings, Scale, Study

from .examples import INSTRUMENT, TEMPLATE, dialogue, fill, study


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
    fill(store)
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
    ("settings", "what"), [({"temperature": 0.5}, "'temperature'"), ({"max_tokens": 9, "top_p": 0.5}, "'max_tokens'")]
)
def test_a_rater_with_other_settings_is_refused_by_name(store: Store, settings: dict[str, Any], what: str) -> None:
    fill(store)
    with pytest.raises(StoreError, match=rf"the rater 'm' has changed since it rated \({what}.*another name"):
        store.register(study("m", **settings), INSTRUMENT, template=TEMPLATE)
    store.register(study("m"), INSTRUMENT, template=TEMPLATE)


def test_another_prompt_is_another_rater(store: Store) -> None:
    fill(store)
    with pytest.raises(StoreError, match=r"the rater 'm' has changed since it rated \('prompt'\)"):
        store.register(study("m"), INSTRUMENT, template="Other.")
    shuffled = study("m").model_copy(update={"prompt": PromptSettings(order="shuffled")})
    with pytest.raises(StoreError, match=r"the rater 'm' has changed since it rated \('prompt'\)"):
        store.register(shuffled, INSTRUMENT, template=TEMPLATE)


def test_how_a_rater_is_called_may_change(store: Store) -> None:
    fill(store)
    settings = {"concurrency": 2, "key_env": "KEY", "price": Price(input=1.0, output=2.0), "replicates": 7}
    store.register(study("m", **settings), INSTRUMENT, template=TEMPLATE)


def test_a_code_rater_may_get_more_measures_but_no_other_function(store: Store) -> None:
    def of(rater: CodeRater) -> Study:
        return Study(name="example", instrument="small", raters=(rater,))

    store.register(of(CodeRater(name="c", kind="code", measures=("turns",))), INSTRUMENT, template=TEMPLATE)
    store.register(of(CodeRater(name="c", kind="code", measures=("turns", "words"))), INSTRUMENT, template="Other.")
    with pytest.raises(StoreError, match=r"\('function'\)"):
        store.register(of(CodeRater(name="c", kind="code", function="a:b")), INSTRUMENT)
    with pytest.raises(StoreError, match=r"\('kind', "):
        store.register(of(LlmRater(name="c", kind="llm", model="m")), INSTRUMENT)  # type: ignore[arg-type]


def test_a_variant_names_its_base_and_has_a_prompt_of_its_own(store: Store) -> None:
    variant = RaterEntry(name="m/turned", kind="llm", settings={"x": 1}, template="T", base="m", variant="turned scale")
    store.register(study("m"), INSTRUMENT, variant, template=TEMPLATE)
    assert store.raters()[1] == variant
    stray = RaterEntry(name="n/turned", kind="llm", base="n", variant="turned scale")
    with pytest.raises(StoreError, match="'n/turned' is a variant of 'n', which is not in the store"):
        store.register(study("m"), INSTRUMENT, stray, template=TEMPLATE)


def test_a_target_that_changed_is_refused_by_name_and_nothing_of_the_file_is_added(store: Store) -> None:
    store.add_targets([dialogue("a")])
    with pytest.raises(StoreError, match=r"the target 'a' has changed.*give the changed dialogue another id"):
        store.add_targets([dialogue("new"), dialogue("a", "Other.")])
    assert [d.id for d in store.targets()] == ["a"]


def test_a_target_cannot_come_twice_with_two_contents_at_once(store: Store) -> None:
    with pytest.raises(StoreError, match="the target 'a' has changed"):
        store.add_targets([dialogue("a"), dialogue("a", "Other.")])
    assert store.add_targets([dialogue("a"), dialogue("a")]) == 1


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
