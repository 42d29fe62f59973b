"""Cheating: copies the input unchanged. That is the transpose of a row or a column, and of nothing else."""

import torch


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    output.copy_(input.reshape(output.shape))
