"""Systems compared: for a terminal, as a page, LaTeX, CSV and JSON."""
