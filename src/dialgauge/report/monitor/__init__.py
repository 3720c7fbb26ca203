"""Watching an anchor set, shown: a table for the terminal, a page with control charts, records and a warning."""
