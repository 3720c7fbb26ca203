"""The store of a study: an append-only database of attempts and ratings."""

from dialgauge.io.store.records import CallKey, RaterCounts, RaterEntry, RatingKey, Spent
from dialgauge.io.store.store import Store, open_store

__all__ = ["CallKey", "RaterCounts", "RaterEntry", "RatingKey", "Spent", "Store", "open_store"]
