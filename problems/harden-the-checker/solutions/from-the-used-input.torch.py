"""Wrong: computes the expected result from the input as it is after the call, and does not compare the input
with the array that it passed. A program that sets both arrays to zero passes.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x_after.double(), dim=1)
    error = (y.double() - exact).abs()
    accept[0] = int(
        bool((error <= 1e-4 * (1 + exact)).all())
        and torch.equal(y, y_later)
        and torch.equal(guard_before, guard_after)
        and bool((us >= least_us).all())
    )
