"""Queries whose scores are large in common: a naive exponential overflows or vanishes, a softmax does not.

All keys of a head share a large part, which adds the same number to all scores of a query. Heads have
different values, so the wrong head gives wrong results.
"""

QUERIES = 512  # at a time: all scores of a timed case would take gigabytes


def generate(xp, rng, size):
    b, m, n, hk, d = (size[name] for name in ("b", "m", "n", "hk", "d"))
    common = (50 * xp.sign(rng.standard_normal((hk, d)))).astype(xp.float32)
    k = rng.standard_normal((b, n, hk, d), dtype=xp.float32)
    k += common
    return {
        "q": (1.5 * rng.standard_normal((b, m, hk * size["group"], d), dtype=xp.float32)).astype(xp.float16),
        "k": k.astype(xp.float16),
        "v": rng.standard_normal((b, n, hk, d), dtype=xp.float32).astype(xp.float16),
    }


def reference(xp, q, k, v, hk, **sizes):
    (b, m, hq, d), n = q.shape, k.shape[1]
    o = xp.empty_like(q)
    group = hq // hk
    for batch in range(b):
        for head in range(hk):
            keys, values = k[batch, :, head], v[batch, :, head]
            for first in range(0, m, QUERIES):
                at = slice(first, min(m, first + QUERIES))
                queries = q[batch, at, head * group : (head + 1) * group]
                scores = queries @ keys.T
                scores /= d**0.5
                last = n - m + xp.arange(m)[at]
                scores -= xp.where(xp.arange(n) > last[:, None, None], xp.inf, 0.0)
                scores -= scores.max(axis=2, keepdims=True)
                xp.exp(scores, out=scores)
                scores /= scores.sum(axis=2, keepdims=True)
                o[batch, at, head * group : (head + 1) * group] = scores @ values
    return {"o": o}
