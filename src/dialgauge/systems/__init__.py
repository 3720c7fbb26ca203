"""The recommender under test: one protocol, and whatever speaks it."""

from dialgauge.systems.protocol import Conversation, Reply, System, SystemFailedError

__all__ = ["Conversation", "Reply", "System", "SystemFailedError"]
