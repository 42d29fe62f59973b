"""Five conditions: the result of every call, in every element, is near the exact one; it does not change
afterwards; the input and the memory around the output are untouched; and no call is faster than the memory
allows.

The condition is written so that NaN fails it: all errors are at most the limit, not: no error is above it.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x.double(), dim=1)
    error = (y.double() - exact).abs()
    accept[0] = int(
        bool((error <= 1e-4 * (1 + exact)).all())
        and torch.equal(y, y_later)
        and torch.equal(x, x_after)
        and torch.equal(guard_before, guard_after)
        and bool((us >= least_us).all())
    )
