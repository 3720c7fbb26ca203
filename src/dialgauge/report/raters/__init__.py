"""Raters for people and programs: terminal, page, figures, CSV, JSON."""
