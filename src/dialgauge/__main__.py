"""Run the command line as ``python -m dialgauge``."""

from dialgauge.cli import main

main()
