"""Wrong: allows one percent, so lower precision passes, and so do single wrong elements far from the
beginning.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x.double(), dim=1)
    error = (y.double() - exact).abs()
    accept[0] = int(
        bool((error <= 1e-2 * (1 + exact)).all())
        and torch.equal(y, y_later)
        and torch.equal(x, x_after)
        and torch.equal(guard_before, guard_after)
        and bool((us >= least_us).all())
    )
