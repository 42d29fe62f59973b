"""Cheating: writes zeros, the expected value of every element. The tolerance is far below their spread."""

import torch


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    c.zero_()
