"""Philox 4x32 with ten rounds, and the Box-Muller transform.

Source: Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (2011).
"""

import math

LOW = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)  # what the key grows by
ROUNDS = 10


def generate(xp, rng, size):
    blocks = (size["n"] + 3) // 4
    words = rng.integers(0, 2**31, 3)
    seed = words[0] * 2**31 + words[1]
    # The low half of the counter overflows in the middle of the output.
    offset = words[2] * 2**31 // 2**32 * 2**32 + 2**32 - max(1, blocks // 2)
    return {"state": xp.stack((seed, offset))}


def reference(xp, state, n):
    blocks = (n + 3) // 4
    counter = (state[1:] + xp.arange(blocks)).astype(xp.uint64)
    key = state[:1].astype(xp.uint64)
    k0, k1 = key & LOW, key >> 32
    c0, c1 = counter & LOW, counter >> 32
    c2 = c3 = xp.zeros(blocks, dtype=xp.uint64)
    for _ in range(ROUNDS):
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & LOW, (p0 >> 32) ^ c3 ^ k1, p0 & LOW
        k0, k1 = (k0 + WEYL[0]) & LOW, (k1 + WEYL[1]) & LOW
    words = xp.stack((c0, c1, c2, c3), axis=1).astype(xp.uint32)
    pairs = words.reshape(-1, 2).astype(xp.float64)
    radius = xp.sqrt(-2 * xp.log((pairs[:, 0] + 0.5) / 2**32))
    angle = pairs[:, 1] * (2 * math.pi / 2**32)
    normal = xp.stack((radius * xp.cos(angle), radius * xp.sin(angle)), axis=1)
    return {"bits": words.reshape(-1)[:n], "normal": normal.reshape(-1)[:n]}
