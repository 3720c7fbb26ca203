"""From where on a difference between raters matters."""

FALSE_SHARE = 0.05
"""The share of the raters found by a test that is expected to be found by chance."""

SEVERE = 0.5
"""Standard deviations of one rating from which severity matters."""

NOISY = 1.5
"""Residual variance, over that of the others, from which scatter matters."""

NO_AGREEMENT = 0.1
"""A correlation of at most this is near zero or negative."""

STRAIGHT = 1.0 / 3.0
"""Share of targets with one value throughout from which straight-lining matters."""

MOSTLY_FAST = 0.5
LEAST_TIMED = 3
