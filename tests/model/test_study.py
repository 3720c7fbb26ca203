"""What a study knows of prices: free on this machine, unknown elsewhere, and no cap in money without one."""

import pytest

from dialgauge.errors import StudyError
from dialgauge.model import Budget, LlmRater, Price

PRICE = Price(input=1.0, output=2.0)
ELSEWHERE = "http://models.example/v1"


def rater(**changes: object) -> LlmRater:
    return LlmRater.model_validate(
        {"name": "m", "kind": "llm", "model": "x", "endpoint": "http://127.0.0.1:1/v1", **changes}
    )


def test_a_model_on_this_machine_costs_nothing_and_any_other_must_say() -> None:
    for endpoint in ("fake", "local", "http://127.0.0.1:1/v1", "http://localhost:8080/v1", "https://[::1]:1/v1"):
        assert rater(endpoint=endpoint).known_price == Price(input=0.0, output=0.0)
    for endpoint in ("vendor", ELSEWHERE, "http://127.0.0.1.example/v1", "http://localhost.example/v1"):
        assert rater(endpoint=endpoint).known_price is None
    assert rater(endpoint=ELSEWHERE, price=PRICE).known_price == PRICE


def test_a_cap_in_money_without_a_price_is_refused_and_says_what_to_add() -> None:
    with pytest.raises(StudyError, match="price of rater 'm' is not known; add price"):
        Budget(cost=1.0).check(None, of="rater 'm'")
    Budget(cost=1.0).check(PRICE, of="rater 'm'")
    Budget(tokens=10).check(None, of="rater 'm'")
