"""Sentiment: how positive or negative the words are."""

import textwrap
from functools import cache
from statistics import fmean
from typing import Any

from dialgauge.collect.code.extras import require
from dialgauge.collect.code.words import split_sentences, turns_of
from dialgauge.model import Dialogue

LONGEST = 250
"""Characters of a sentence that are scored at once: VADER's time grows with the square of the length."""


def sentiment(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the mean sentiment of the sentences of ``speaker`` (-1 to 1); None where there is none.

    The compound score of VADER (Hutto and Gilbert 2014), which is made for single sentences in English. A sentence of
    more than 250 characters is scored in pieces.
    """
    texts = [piece for text in turns_of(dialogue, speaker) for piece in _short_pieces(text)]
    return fmean(_compound(text) for text in texts) if texts else None


def _short_pieces(text: str) -> list[str]:
    plain = text.replace("’", "'")
    return [piece for sentence in split_sentences(plain) for piece in textwrap.wrap(sentence, LONGEST)]


def _compound(text: str) -> float:
    return float(_analyser().polarity_scores(text)["compound"])


@cache
def _analyser() -> Any:  # noqa: ANN401 (vaderSentiment has no types)
    return require("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
