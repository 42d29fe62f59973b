"""Queries whose scores are large in common: a naive exponential overflows or vanishes, a softmax does not.

All keys of a head share a large part, which adds the same number to all scores of a query. It shows in lse,
and in exact arithmetic it changes no weight.
"""

ROWS = 512  # queries at a time: all scores of a timed case would take gigabytes


def generate(xp, rng, size):
    shape = size["b"], size["h"], size["n"], size["d"]
    common = (50 * xp.sign(rng.standard_normal((shape[0], shape[1], 1, shape[3])))).astype(xp.float32)
    k = rng.standard_normal(shape, dtype=xp.float32)
    k += common
    return {
        "q": (1.5 * rng.standard_normal(shape, dtype=xp.float32)).astype(xp.float16),
        "k": k.astype(xp.float16),
        "v": rng.standard_normal(shape, dtype=xp.float32).astype(xp.float16),
    }


def reference(xp, q, k, v, b, h, n, d, causal):
    o, lse = xp.empty_like(q), xp.empty((b, h, n), dtype=q.dtype)
    for batch in range(b):
        for head in range(h):
            for first in range(0, n, ROWS):
                at = slice(first, min(n, first + ROWS))
                last = at.stop if causal else n
                scores = q[batch, head, at] @ k[batch, head, :last].T
                scores /= d**0.5
                if causal:
                    later = xp.arange(last)[None, :] > xp.arange(n)[at, None]
                    scores = xp.where(later, -xp.inf, scores)
                most = scores.max(axis=1, keepdims=True)
                scores -= most
                xp.exp(scores, out=scores)
                total = scores.sum(axis=1, keepdims=True)
                o[batch, head, at] = scores @ v[batch, head, :last] / total
                lse[batch, head, at] = (most + xp.log(total))[:, 0]
    return {"o": o, "lse": lse}
