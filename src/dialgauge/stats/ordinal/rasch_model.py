r"""Category probabilities of the many-facet Rasch model and their moments.

.. math::
    \log \frac{P_k}{P_{k-1}} = \theta_{target} - \lambda_{rater} - \tau_k, \qquad k = 1, \dots, m - 1

With one set of thresholds for all it is Andrich's (1978) rating scale model with a facet of raters (Linacre 1989, ch.
3), with one set per rater Masters' (1982) partial credit model by rater. Internally all parameters point up: leniency
:math:`-\lambda` and ease :math:`-\tau`, so that the log odds of step k are the sum of three terms.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.stats.arrays import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """What the model expects of n ratings with steps 1 .. q.

    ``probability`` (n, q + 1) holds the category probabilities, ``reached`` (n, q) the probabilities of step k or
    higher; ``expected`` and ``variance`` (n,) are of the category, ``with_steps`` (n, q) is the covariance of the
    category with reaching step k.
    """

    probability: Floats
    reached: Floats
    expected: Floats
    variance: Floats
    with_steps: Floats
    log_likelihood: float


def moments_of(step_logits: Floats, category: Codes) -> Moments:
    """Return the moments of ratings whose steps have log odds ``step_logits`` (n, q) and that fell in ``category``."""
    n, q = step_logits.shape
    potential = np.zeros((n, q + 1))
    np.cumsum(step_logits, axis=1, out=potential[:, 1:])
    potential -= potential.max(axis=1, keepdims=True)
    weight = np.exp(potential)
    total = weight.sum(axis=1)
    probability = weight / total[:, None]
    reached = np.cumsum(probability[:, :0:-1], axis=1)[:, ::-1]
    # P(K >= k) times the mean of K above k: E(K 1[K >= k])
    points = np.arange(q + 1.0)
    partial = np.cumsum((probability * points)[:, :0:-1], axis=1)[:, ::-1]
    expected = reached.sum(axis=1)
    with_steps = partial - expected[:, None] * reached
    return Moments(
        probability=probability,
        reached=reached,
        expected=expected,
        variance=with_steps.sum(axis=1),
        with_steps=with_steps,
        log_likelihood=float((potential[np.arange(n), category] - np.log(total)).sum()),
    )


def steps_taken(category: Codes, q: int) -> Floats:
    """Return which of the steps 1 .. q each rating has reached, shape (n, q), as 0 and 1."""
    return (category[:, None] >= np.arange(1, q + 1)).astype(np.float64)
