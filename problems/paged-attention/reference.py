"""Sequences of very different lengths, whose pages lie in the pool in random order.

The lengths come in pairs that add up to 2 n, so each case has exactly b * n tokens. If there is a pair, one
sequence has a single token and another one has 2 n - 1. The pool is full: slots that no sequence uses hold
old keys and values. All keys of a head share a large part, which adds the same number to all scores of a
query. A naive exponential overflows or vanishes.
"""


def lengths(xp, rng, b, n):
    half = b // 2
    offset = xp.where(xp.arange(half) == 0, n - 1, rng.integers(1 - n, n, half))
    offset = xp.concatenate([offset, -offset, xp.zeros(b - 2 * half, dtype=offset.dtype)])
    return n + offset[xp.argsort(rng.random(b))]


def generate(xp, rng, size):
    b, n, h, d, page = (size[name] for name in ("b", "n", "h", "d", "page"))
    pool, row = b * n // page + b, (2 * n + page - 2) // page
    length = lengths(xp, rng, b, n)
    used = (length + page - 1) // page
    start = xp.cumsum(used) - used
    entry = xp.arange(row)
    taken = xp.minimum(start[:, None] + entry, pool - 1)
    common = (50 * xp.sign(rng.standard_normal((h, d)))).astype(xp.float32)
    k_pages = rng.standard_normal((pool, page, h, d), dtype=xp.float32)
    k_pages += common
    return {
        "q": (1.5 * rng.standard_normal((b, h, d), dtype=xp.float32)).astype(xp.float16),
        "k_pages": k_pages.astype(xp.float16),
        "v_pages": rng.standard_normal((pool, page, h, d), dtype=xp.float32).astype(xp.float16),
        "table": xp.where(entry < used[:, None], xp.argsort(rng.random(pool))[taken], -1),
        "length": length,
    }


def reference(xp, q, k_pages, v_pages, table, length, b, h, d, page, row):
    o = xp.empty_like(q)
    slot = xp.arange(row * page)[:, None]
    for sequence in range(b):
        # All entries of the row, so that no length leaves the GPU. Unused ones read page 0, and get the
        # weight 0.
        pages = xp.maximum(table[sequence], 0)
        keys = k_pages[pages].reshape(row * page, h, d)
        scores = (keys * q[sequence]).sum(axis=2)
        scores /= d**0.5
        scores -= xp.where(slot < length[sequence], 0.0, xp.inf)
        scores -= scores.max(axis=0)
        xp.exp(scores, out=scores)
        scores /= scores.sum(axis=0)
        values = v_pages[pages].reshape(row * page, h, d)
        values *= scores[:, :, None]
        o[sequence] = values.sum(axis=0)
    return {"o": o}
