"""Each model within its budget, and the errors of all models at most 1.02 times the least ones.

The score is the quotient of the two.
"""

RULES = {"inaccurate": "The errors of all models together are more than 1.02 times the least possible."}


def check(xp, inputs, expected, got, size, tolerance):  # noqa: ARG001  # integers have no tolerance
    """Which layers have possible bits in models within their budget, and whether errors are too large."""
    bits = got["bits"].astype(xp.int64)
    column = xp.where(bits == 2, 0, xp.where(bits == 4, 1, xp.where(bits == 8, 2, 3)))
    right = bits == 2 << column
    used = (inputs["size"] // 8 * (2 << column)).sum(axis=1)
    right &= (used <= inputs["budget"])[:, None]
    found = xp.take_along_axis(inputs["err"], column[..., None], axis=2).sum()
    column = xp.log2(expected["bits"]).astype(xp.int64) - 1
    least = xp.take_along_axis(inputs["err"], column[..., None], axis=2).sum()
    broken = "inaccurate" if found > 1.02 * least else None
    return {"bits": right}, float(found / least), broken
