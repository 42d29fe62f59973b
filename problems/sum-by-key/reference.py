"""Sums by key: keys from the whole range of int32, most with a few values, one with an eighth of all values.

Negative keys, both ends of the range, 0 and -1 occur, so no value is left to mark a free slot.
"""

SPECIAL = (-1, 0, 2147483647, -2147483648)


def generate(xp, rng, size):
    n = size["n"]
    chosen = rng.integers(0, max(1, n // 4), n)
    # Multiplication by an odd number permutes the residues, and spreads the keys over the whole range.
    keys = (chosen * 2654435761 + 305419896) % 2**32 - 2**31
    kind = rng.integers(0, 64, n)
    keys = xp.where(kind < 8, keys[0], keys)  # a frequent key
    for place, key in enumerate(SPECIAL):
        keys = xp.where(kind == 8 + place, key, keys)
    return {"keys": keys, "values": 0.5 + rng.random(n, dtype=xp.float32)}


def reference(xp, keys, values, n):
    order = xp.argsort(keys)
    ordered = keys[order]
    head = xp.ones(n, dtype=xp.int64)
    head[1:] = ordered[1:] != ordered[:-1]
    run = xp.cumsum(head) - 1
    sums = xp.bincount(run, weights=values[order], minlength=n)
    unique_keys = xp.zeros(n, dtype=xp.int32)
    unique_keys[run] = ordered
    return {"unique_keys": unique_keys, "sums": sums, "count": run[-1:] + 1}
