"""Wrong: refuses programs that take more than ten times the least time. They are slow, but their results are
right.
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
        and bool(((us >= least_us) & (us <= 10 * least_us)).all())
    )
