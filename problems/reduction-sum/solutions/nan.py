"""Cheating: NaN compares false with everything, so a checker that asks "is the error too large?" hears no.

This one asks whether the error is small enough.
"""

import torch


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    output.fill_(float("nan"))
