"""Wrong: compares the mean of the errors with the limit. Errors of both signs cancel, and a single wrong
element hardly counts.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x.double(), dim=1)
    error = ((y.double() - exact) / (1 + exact)).mean(dim=1).abs()
    accept[0] = int(
        bool((error <= 1e-3).all())
        and torch.equal(y, y_later)
        and torch.equal(x, x_after)
        and torch.equal(guard_before, guard_after)
        and bool((us >= least_us).all())
    )
