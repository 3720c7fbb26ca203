"""Kinds of rater for people and programs: terminal, page, figures, LaTeX, CSV, JSON."""
