"""Wrong: checks only the first call. Programs that remember their results, or change when the timing begins,
pass.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x[0].double(), dim=0)
    near = ((y[0].double() - exact).abs() <= 1e-4 * (1 + exact)).all()
    accept[0] = int(
        bool(near)
        and torch.equal(y, y_later)
        and torch.equal(x, x_after)
        and torch.equal(guard_before, guard_after)
        and bool((us >= least_us).all())
    )
