"""Rows of four-bit and of eight-bit weights in random order.

The first token and every fifth row have large values of one sign, so long sums do not fit in 24 bits.
"""

ROWS = 1024  # decoded at a time: a timed case would take gigabytes


def generate(xp, rng, size):
    m, n4, n8, k = size["m"], size["n4"], size["n8"], 8 * size["words"]
    x = rng.integers(-128, 128, (m, k))
    w4 = rng.integers(0, 256, (n4, k // 2)).astype(xp.uint8)
    w8 = rng.integers(-128, 128, (n8, k)).astype(xp.int8)
    x[0] = 64 + (x[0] & 63)
    w4[::5] |= 0xCC
    w8[::5] = 64 + (w8[::5] & 63)
    order = xp.argsort(rng.random(n4 + n8))
    which = xp.zeros(n4 + n8, dtype=xp.uint8)
    place = xp.zeros(n4 + n8, dtype=xp.int32)
    which[order[n4:]] = 1
    place[order[:n4]] = xp.arange(n4)
    place[order[n4:]] = xp.arange(n8)
    return {
        "x": x.astype(xp.int8).reshape(m, -1, 8),
        "w4": w4.reshape(n4, -1, 4),
        "w8": w8.reshape(n8, -1, 8),
        "which": which,
        "place": place,
    }


def reference(xp, x, w4, w8, which, place, m, n, n4, k):
    # Products and sums are integers below 2^53, which float64 holds exactly.
    tokens = x.reshape(m, k).astype(xp.float64)
    w4, w8 = w4.reshape(n4, k // 2), w8.reshape(n - n4, k)
    even, odd = xp.ascontiguousarray(tokens[:, ::2]), xp.ascontiguousarray(tokens[:, 1::2])
    four = xp.empty((m, n4), dtype=xp.float64)
    for first in range(0, n4, ROWS):
        codes = w4[first : first + ROWS]
        lower, upper = (codes & 15).astype(xp.float64) - 8, (codes >> 4).astype(xp.float64) - 8
        four[:, first : first + ROWS] = even @ lower.T + odd @ upper.T
    eight = xp.empty((m, n - n4), dtype=xp.float64)
    for first in range(0, n - n4, ROWS):
        eight[:, first : first + ROWS] = tokens @ w8[first : first + ROWS].astype(xp.float64).T
    y = xp.empty((m, n), dtype=xp.int32)
    y[:, which == 0] = four[:, place[which == 0]].astype(xp.int32)
    y[:, which == 1] = eight[:, place[which == 1]].astype(xp.int32)
    return {"y": y}
