"""The agreement of raters for people and programs: terminal, page, figures, LaTeX, CSV, JSON."""
