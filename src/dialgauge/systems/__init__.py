"""The recommender under test: one protocol, and whatever speaks it."""

from dialgauge.systems.checked import CheckedSystem
from dialgauge.systems.opening import FORMS, open_system
from dialgauge.systems.protocol import Conversation, Reply, System, SystemFailedError

__all__ = ["FORMS", "CheckedSystem", "Conversation", "Reply", "System", "SystemFailedError", "open_system"]
