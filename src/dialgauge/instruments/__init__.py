"""Instruments that ship with the package, and how one is loaded."""

from dialgauge.instruments.loading import available_instruments, load_instrument

__all__ = ["available_instruments", "load_instrument"]
