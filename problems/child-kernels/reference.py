"""Rows of very different lengths: `heavy` rows hold three quarters of all entries, the others are short.

A quarter of the short rows is empty. Values are positive, so no sum cancels.
"""


def generate(xp, rng, size):
    rows, nnz, heavy = size["rows"], size["nnz"], size["heavy"]
    share = rng.random(rows)
    share = xp.where(share < 0.25, 0.0, share)
    order = xp.argsort(rng.random(rows))
    is_heavy = xp.zeros(rows, dtype=bool)
    is_heavy[order[:heavy]] = True
    share = xp.where(is_heavy, 0.0, share)
    # The longest heavy row is at most twice as long as the shortest. If all others are empty, they hold all.
    weight = xp.where(is_heavy, 1 + rng.random(rows), 0.0)
    light = share.sum()
    share = share + weight * (3 * light + (light == 0)) / weight.sum()
    ends = xp.cumsum(share)
    start = xp.zeros(rows + 1, dtype=xp.int32)
    start[1:] = xp.rint(ends / ends[-1] * nnz)
    return {"start": start, "value": 0.5 + rng.random(nnz, dtype=xp.float32)}


def reference(xp, start, value, rows, nnz):
    # An entry's row is the number of rows that end at or before it.
    row = xp.cumsum(xp.bincount(start[1:], minlength=nnz + 1)[:nnz])
    return {"sum": xp.bincount(row, weights=value, minlength=rows)}
