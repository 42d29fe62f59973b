"""Live tensors must not overlap, and the mean peak may be at most 1.1 times that of best fit.

The score is the quotient of the two.
"""

RULES = {"high_peak": "The mean peak is more than 1.1 times that of best fit."}
HIGHEST = 1 << 40  # larger offsets are wrong, and could overflow


def check(xp, inputs, expected, got, size, tolerance):  # noqa: ARG001  # integers have no tolerance
    """Which offsets are right (live tensors overlap none), and whether the peaks are too high."""
    op, offset, events = inputs["op"], got["offset"], size["events"]
    new = op < 0
    need = (inputs["bytes"] + 511) // 512 * 512
    right = xp.where(new, (offset >= 0) & (offset % 512 == 0) & (offset < HIGHEST), offset == -1)
    begin = xp.clip(offset, 0, HIGHEST)
    end = begin + need

    freed_at = xp.full(op.shape, events, dtype=xp.int64)
    row, event = xp.nonzero(~new)
    freed_at[row, op[row, event]] = event
    index = xp.arange(events)
    for later in range(1, events):
        # Each tensor against the one that is allocated `later` events after it.
        clash = new[:, :-later] & new[:, later:] & (freed_at[:, :-later] > index[later:])
        clash &= (begin[:, :-later] < end[:, later:]) & (begin[:, later:] < end[:, :-later])
        right[:, :-later] &= ~clash
        right[:, later:] &= ~clash

    peak = xp.where(new, end, 0).max(axis=1).sum()
    best = xp.where(new, expected["offset"].astype(xp.int64) + need, 0).max(axis=1).sum()
    broken = "high_peak" if 10 * peak > 11 * best else None
    return {"offset": right}, float(peak / best), broken
