"""What the tests of local models share."""

from typing import Any

import pytest


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return a list that grows by each part of an answer that a model inside this process gives."""
    from dialgauge.llm.local_engine import Engine

    parts: list[dict[str, Any]] = []
    sign = Engine._sign

    def hear(engine: Engine, part: dict[str, Any]) -> dict[str, Any]:
        parts.append(part)
        return sign(engine, part)

    monkeypatch.setattr(Engine, "_sign", hear)
    return parts
