"""Wrong: waits for all work, and looks at the output then. A program that returns before it has computed
anything passes.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x.double(), dim=1)
    error = (y_later.double() - exact).abs()
    accept[0] = int(
        bool((error <= 1e-4 * (1 + exact)).all())
        and torch.equal(x, x_after)
        and torch.equal(guard_before, guard_after)
        and bool((us >= least_us).all())
    )
