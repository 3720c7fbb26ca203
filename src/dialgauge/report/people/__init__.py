"""How far the people who rate are."""
