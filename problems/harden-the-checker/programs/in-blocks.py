"""Right: sums of blocks of 32 elements, and then the sums of the blocks. Its rounding differs from that of
one pass.
"""


def call(xp, tape):
    total = xp.zeros(1, xp.float32)
    for start in range(0, len(tape["x"]), 32):
        part = xp.cumsum(tape["x"][start : start + 32]) + total
        tape["y"][start : start + 32] = part
        total = part[-1:]
