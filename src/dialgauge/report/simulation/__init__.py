"""Simulated dialogues: how far they are, and what came of them."""
