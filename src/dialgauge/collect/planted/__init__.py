"""Planted dialogues: the same request handled badly, middlingly and well, so that a rater's order can be checked."""

from dialgauge.collect.planted.loading import QUALITIES, Planted, planted

__all__ = ["QUALITIES", "Planted", "planted"]
