"""CSR matrices with skewed rows: a quarter is empty, most are short, one has an eighth of all entries.

Values are positive, so that no sum cancels and a relative tolerance suffices.
"""


def generate(xp, rng, size):
    rows, columns, nnz = size["rows"], size["columns"], size["nnz"]
    share = rng.random(rows)
    # Lengths with a long tail: the longest are some forty times the shortest.
    share = xp.where(share < 0.25, 0.0, 1 / (1.02 - share))
    heavy = xp.arange(rows) == rng.integers(0, rows, 1)
    share = xp.where(heavy, share.sum() / 7 + 1, share)
    ends = xp.cumsum(share)
    row_start = xp.zeros(rows + 1, dtype=xp.int32)
    row_start[1:] = xp.rint(ends / ends[-1] * nnz)
    return {
        "row_start": row_start,
        "column": rng.integers(0, columns, nnz),
        "value": 0.5 + rng.random(nnz, dtype=xp.float32),
        "x": 0.5 + rng.random(columns, dtype=xp.float32),
    }


def reference(xp, row_start, column, value, x, rows, columns, nnz):
    # An entry's row is the number of rows that end at or before it.
    row = xp.cumsum(xp.bincount(row_start[1:], minlength=nnz + 1)[:nnz])
    return {"y": xp.bincount(row, weights=value * x[column], minlength=rows)}
