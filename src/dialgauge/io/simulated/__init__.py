"""Simulated dialogues out of files and stores, whole."""

from dialgauge.io.simulated.lines import check_place, iter_lines, write_lines
from dialgauge.io.simulated.reading import read_simulated, read_simulations

__all__ = ["check_place", "iter_lines", "read_simulated", "read_simulations", "write_lines"]
