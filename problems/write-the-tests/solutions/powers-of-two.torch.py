"""Wrong: all shapes are powers of two. Partial blocks, leftover rows and padding never occur."""

import torch


def solve(rows, cols, values, tolerance):
    random = torch.Generator().manual_seed(1)
    for number, shape in enumerate([(1, 1), (2, 32), (4, 64), (8, 64), (1, 256), (256, 2), (16, 32)]):
        x = 30 * torch.randn(shape, generator=random)
        rows[number], cols[number] = shape
        values[number, : x.numel()] = x.reshape(-1)
        tolerance[number] = 1e-4
