"""Does not compute the sums again. Each result minus the one before it must be the input, up to the rounding
of the results, and the first result must be the first input. A difference of NaN fails.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    steps = torch.diff(y.double(), dim=1, prepend=torch.zeros_like(y[:, :1], dtype=torch.float64))
    near = (steps - x.double()).abs() <= 1e-4 * (1 + y.double())
    same = (y == y_later).all() & (x == x_after).all() & (guard_before == guard_after).all()
    accept[0] = (near.all() & same & (us >= least_us).all()).to(torch.int32)
