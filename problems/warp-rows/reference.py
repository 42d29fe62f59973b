"""Rows whose elements have one sign and magnitudes between 1 and 2, with a share of each end cut off.

The elements beyond get a common value. In some rows a fifth of the elements are the largest, in others one
alone, anywhere in the row. Every other row is negative, so that its largest element is not positive. Nothing
cancels in a sum, and rounding the elements of short rows to float16, TF32 or bfloat16 shows in it.
"""


def generate(xp, rng, size):
    rows, cols = size["rows"], size["cols"]
    cut = 10 ** -rng.uniform(0.7, 4, (rows, 1))
    magnitude = xp.minimum(xp.maximum(rng.uniform(1, 2, (rows, cols)), 1 + cut), 2 - cut)
    sign = 1 - 2 * (xp.arange(rows) % 2)
    return {"x": sign[:, None] * magnitude}


def reference(xp, x, rows, cols):
    return {"sum": x.sum(axis=1), "arg": x.argmax(axis=1)}
