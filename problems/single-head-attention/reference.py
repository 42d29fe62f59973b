"""Queries whose scores are large in common: a naive exponential overflows or vanishes, a softmax does not.

All keys share a large part, which adds the same number to all scores of a query. In exact arithmetic, that
changes nothing.
"""

ROWS = 1024  # queries at a time: all scores of a timed case would take gigabytes


def generate(xp, rng, size):
    n, d = size["n"], size["d"]
    common = (50 * xp.sign(rng.standard_normal(d))).astype(xp.float32)
    return {
        "q": 1.5 * rng.standard_normal((n, d), dtype=xp.float32),
        "k": rng.standard_normal((n, d), dtype=xp.float32) + common,
        "v": rng.standard_normal((n, d), dtype=xp.float32),
    }


def reference(xp, q, k, v, n, d, causal):
    parts = []
    for first in range(0, n, ROWS):
        rows = q[first : first + ROWS]
        scores = rows @ k.T
        scores /= d**0.5
        if causal:
            later = xp.arange(n)[None, :] > first + xp.arange(len(rows))[:, None]
            scores = xp.where(later, -xp.inf, scores)
        scores -= scores.max(axis=1, keepdims=True)
        weights = xp.exp(scores)
        weights /= weights.sum(axis=1, keepdims=True)
        parts.append(weights @ v)
    return {"o": xp.concatenate(parts)}
