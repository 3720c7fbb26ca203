"""What one dialogue, or one pair of replies, adds to the measures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import InputError
from dialgauge.stats.abilities.counting import PairCounts, compare_replies, first_turn, recall_at, recall_ceiling

ITEMS = st.sets(st.sampled_from("abcdefgh"), min_size=1)


def test_recall_is_the_share_of_targets_among_the_first() -> None:
    assert recall_at(["a", "x", "b", "c"], ["a", "b", "c", "d"], k=3) == 0.5


@given(st.permutations("abcdefgh"), ITEMS, st.integers(1, 10))
def test_recall_never_exceeds_its_ceiling_and_reaches_it(ranking: list[str], targets: set[str], k: int) -> None:
    assert recall_at(ranking, targets, k=k) <= recall_ceiling(targets, k=k)
    best = [*sorted(targets), *(item for item in ranking if item not in targets)]
    assert recall_at(best, targets, k=k) == recall_ceiling(targets, k=k)


@pytest.mark.parametrize(("targets", "k", "word"), [([], 1, "at least one target"), (["a"], 0, "got 0")])
def test_recall_needs_targets_and_places(targets: list[str], k: int, word: str) -> None:
    with pytest.raises(InputError, match=word):
        recall_at(["a"], targets, k=k)


def test_the_first_turn_counts_from_one_and_is_none_without_a_hit() -> None:
    assert first_turn([False, True, True]) == 2
    assert first_turn([False]) is None


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        (None, None, PairCounts(acts=1)),
        (None, ["a"], PairCounts(acts=0)),
        (["a"], ["a"], PairCounts(acts=1, both=1, same=1)),
        (["a"], ["b"], PairCounts(acts=1, both=1, changed=1, diverse=1)),
        (["a"], ["z"], PairCounts(acts=1, both=1, changed=1, sensitive=1)),
        (["y"], ["y"], PairCounts(acts=1, both=1, same=1)),
        ([], ["a"], PairCounts(acts=1)),
    ],
)
def test_a_pair_counts_as_its_kind(first: list[str] | None, second: list[str] | None, counts: PairCounts) -> None:
    assert compare_replies(first, second, targets={"a", "b"}) == counts


@given(ITEMS, ITEMS, ITEMS)
def test_a_pair_that_recommends_is_the_same_diverse_or_sensitive(a: set[str], b: set[str], targets: set[str]) -> None:
    counts = compare_replies(a, b, targets=targets)
    assert counts.same + counts.diverse + counts.sensitive == counts.both == 1
    assert counts == compare_replies(b, a, targets=targets)
