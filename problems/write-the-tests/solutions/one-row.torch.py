"""Wrong: all matrices have one row. Nothing shows that rows are mixed up."""

import torch


def solve(rows, cols, values, tolerance):
    random = torch.Generator().manual_seed(4)
    for number in range(32):
        cols[number] = 1 + 16 * number
        rows[number] = 1
        values[number] = (1 + 4 * number) * torch.randn(512, generator=random)
        tolerance[number] = 1e-4
