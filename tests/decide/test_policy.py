"""Policies: what ships, what a file may say, and what is said of a wrong one."""

from pathlib import Path

import pytest

from dialgauge.decide import Policy, load_policy
from dialgauge.errors import PolicyError

USE = """
[[uses]]
name = "live"
kind = "real-time"
coefficient = "single"
threshold = 0.9
minimum_targets = 30
most_missing = 0.05
"""
HEAD = 'name = "own"\nversion = "2"\n'


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_default_policy_has_the_four_uses_with_the_thresholds_of_their_classes() -> None:
    uses = {use.name: use.threshold for use in load_policy().uses}
    assert uses == {"real-time": 0.90, "per-target": 0.75, "compare-systems": 0.75, "descriptive": 0.50}


def test_the_hash_changes_with_the_content_and_only_with_it(tmp_path: Path) -> None:
    one = load_policy(write(tmp_path, HEAD + USE))
    same = load_policy(write(tmp_path, f"# a remark\n{HEAD}level = 0.95\n{USE}"))
    other = load_policy(write(tmp_path, HEAD + USE.replace("0.9\n", "0.91\n")))
    assert one.hash == same.hash != other.hash


def test_an_override_changes_what_it_names_for_its_dimensions_and_groups_alone(tmp_path: Path) -> None:
    override = '[[uses.overrides]]\ndimensions = ["harm"]\ngroups = ["safety"]\nthreshold = 0.95\n'
    (use,) = load_policy(write(tmp_path, HEAD + USE + override)).uses
    assert use.requirement_for("harm", "").threshold == 0.95
    assert use.requirement_for("other", "safety").threshold == 0.95
    assert use.requirement_for("other", "").threshold == 0.9
    assert use.requirement_for("harm", "").minimum_targets == 30


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            HEAD + USE + "treshold = 0.9\n",
            "uses[1] ('live') treshold is not a key that is known here; did you mean 'threshold'?",
        ),
        (HEAD + USE.replace("threshold = 0.9\n", ""), "uses[1] ('live') threshold is missing; add the key 'threshold'"),
        (HEAD + USE.replace("0.9\n", "1.5\n"), "uses[1] ('live') threshold: should be less than 1, got 1.5"),
        (HEAD + USE + USE, "the use 'live' is there twice"),
        (HEAD + USE.replace('"single"', '"systems"'), "does not fit the kind 'real-time'"),
        (HEAD + USE.replace('"single"', '"mean"'), "real-time use rests on one rating"),
        (HEAD + USE + "k = 3\n", "k is for the coefficient 'mean'"),
        (HEAD + USE + "[[uses.overrides]]\nthreshold = 0.95\n", "an override names dimensions or groups"),
        (HEAD + USE + '[[uses.overrides]]\ndimensions = ["a"]\n', "an override changes nothing"),
        ("name =", "is not valid TOML"),
        (HEAD, "uses is missing"),
    ],
)
def test_a_wrong_file_is_told_in_one_line_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        load_policy(write(tmp_path, text))
    assert said in str(caught.value)
    assert "policy.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_policy_that_does_not_exist_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"there is no policy 'defualt' \(did you mean 'default'\?\)"):
        load_policy("defualt")
    with pytest.raises(PolicyError, match="there is no policy file"):
        load_policy(tmp_path / "none.toml")


def test_a_policy_can_be_made_in_python() -> None:
    again = Policy.model_validate(load_policy().model_dump())
    assert again == load_policy()
