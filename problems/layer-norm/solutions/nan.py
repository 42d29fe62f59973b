"""Cheating: every element is NaN. A checker that looks for `abs(got - expected) > bound` finds nothing,
because every comparison with NaN is false. The judge asks for the opposite: `<= bound`, or the element
is wrong.
"""

import torch


def solve(
    input: torch.Tensor,
    gamma: torch.Tensor,
    beta: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
) -> None:
    output.fill_(float("nan"))
