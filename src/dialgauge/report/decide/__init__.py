"""Decisions, shown: a table for the terminal, a page, records for other programs."""
