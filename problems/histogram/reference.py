"""Counts of skewed values: the first eighth of the bins receives half of the elements.

Uneven bins are the rule in practice, and they make threads compete for the same counters.
"""


def generate(xp, rng, size):
    n, bins = size["n"], size["bins"]
    values = (bins * rng.random(n) ** 3).astype(xp.int32)
    return {"input": xp.minimum(values, bins - 1)}


def reference(xp, input, n, bins):
    ordered = xp.sort(input)  # on a GPU faster than counting with atomic operations
    edges = xp.searchsorted(ordered, xp.arange(bins + 1))
    return {"counts": edges[1:] - edges[:-1]}
