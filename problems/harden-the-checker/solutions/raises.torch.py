"""Wrong: raises an exception to refuse a program. The judge then cannot tell a refusal from a broken checker.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    assert torch.equal(x, x_after)
    exact = torch.cumsum(x.double(), dim=1)
    torch.testing.assert_close(y.double(), exact, rtol=1e-4, atol=1e-4)
    accept[0] = 1
