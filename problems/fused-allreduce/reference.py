"""Averages of the tensors that two arrays hold, whose gaps stay as they are.

The tensors are in any order in the arrays, some are empty, and most are short. Each has a scale of its own.
Some sums exceed the range of float16, although each gradient fits.
"""


def generate(xp, rng, size):
    k, count, gaps = size["k"], size["count"], size["gaps"]
    offsets = xp.concatenate([xp.zeros(1, dtype=int), divided(xp, rng, count, k - 1), xp.full(1, count)])
    lengths = offsets[1:] - offsets[:-1]
    # In the arrays, the tensors are in the order of `rank`, with a gap before each and after the last.
    rank = xp.argsort(rng.random(k))
    starts = xp.zeros(k, dtype=int)
    starts[rank] = xp.cumsum(lengths[rank]) - lengths[rank] + divided(xp, rng, gaps, k)
    scale = xp.where(rng.random(k) < 1 / 8, 60000.0, 2.0 ** rng.uniform(-12, 15, k))
    tensor, place = places(xp, starts, offsets, count)
    common = rng.uniform(-1, 1, count)
    grads = []
    for _ in range(2):
        values = rng.uniform(-60000, 60000, count + gaps)
        values[place] = scale[tensor] * (0.7 * common + 0.3 * rng.uniform(-1, 1, count))
        grads.append(values)
    return {"grads0": grads[0], "grads1": grads[1], "starts": starts, "offsets": offsets}


def divided(xp, rng, total, parts):
    """Ascending numbers up to total, most of them small, and some equal."""
    cuts = (total * rng.random(parts) ** 2).astype(int)
    return xp.sort(xp.where(rng.random(parts) < 1 / 4, cuts // 8 * 8, cuts))


def places(xp, starts, offsets, count):
    """The tensor of each element of the fused buffer, and its place in the arrays."""
    element = xp.arange(count)
    tensor = xp.searchsorted(offsets, element, side="right") - 1
    return tensor, starts[tensor] + element - offsets[tensor]


def reference(xp, grads0, grads1, starts, offsets, k, count, gaps):
    _, place = places(xp, starts, offsets, count)
    mean = (grads0[place] + grads1[place]) / 2
    averaged = []
    for grads in (grads0, grads1):
        result = grads.copy()
        result[place] = mean
        averaged.append(result)
    return {"grads0": averaged[0], "grads1": averaged[1]}
