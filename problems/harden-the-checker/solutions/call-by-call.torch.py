"""Looks at each call in turn, and stops at the first reason to refuse it. The largest error relative to the
sum decides; `max` passes NaN on, and the comparison with it is false.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    accept[0] = 0
    for call in range(len(x)):
        exact = torch.cumsum(x[call].double(), dim=0)
        worst = ((y[call].double() - exact).abs() / (1 + exact)).max()
        if not worst <= 5e-5:
            return
        touched = (x[call] != x_after[call]).any() or (guard_before[call] != guard_after[call]).any()
        if touched or (y[call] != y_later[call]).any() or us[call] < least_us:
            return
    accept[0] = 1
