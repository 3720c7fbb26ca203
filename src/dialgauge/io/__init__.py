"""Ratings in and out of files and data frames."""

from dialgauge.io.reading import from_frame, read_ratings
from dialgauge.io.request import DuplicatePolicy, OffScalePolicy
from dialgauge.io.writing import write_long, write_wide

__all__ = ["DuplicatePolicy", "OffScalePolicy", "from_frame", "read_ratings", "write_long", "write_wide"]
