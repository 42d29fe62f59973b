"""Wrong: demands the sum in double precision, rounded. Honest programs that add in float32, each in an order
of its own, are refused.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x.double(), dim=1)
    error = (y.double() - exact).abs()
    accept[0] = int(
        torch.equal(y, exact.float())
        and torch.equal(y, y_later)
        and torch.equal(x, x_after)
        and torch.equal(guard_before, guard_after)
        and bool((us >= least_us).all())
    )
