"""Checks of model raters: read from a store, and shown."""
