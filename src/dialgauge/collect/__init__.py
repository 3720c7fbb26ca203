"""Collect ratings: from language models, from code, and the dialogues of known quality that check them."""
