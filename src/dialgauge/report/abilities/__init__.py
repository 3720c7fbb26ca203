"""The CONCEPT measures and abilities for a terminal, as a page, LaTeX, CSV and JSON."""
