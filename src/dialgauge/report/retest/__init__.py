"""Repeated measurement for people and programs: terminal, page, figures, LaTeX, CSV, JSON."""
