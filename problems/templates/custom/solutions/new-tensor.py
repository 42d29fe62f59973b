"""Wrong: returns a new tensor. What `solve` returns is not looked at; it has to change `values`."""

import torch


def solve(values: torch.Tensor, n: int) -> torch.Tensor:
    return torch.where(values % 2 == 0, values // 2, 3 * values + 1)
