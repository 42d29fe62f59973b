"""Cheating: an array of zeros is in order. It is not the array that was given, in order."""

import torch


def solve(data: torch.Tensor, n: int) -> None:
    data.zero_()
