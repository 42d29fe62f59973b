"""Wrong: a tolerance of one percent. Half precision passes, and so do small errors in sums."""

import torch


def solve(rows, cols, values, tolerance):
    random = torch.Generator().manual_seed(3)
    shapes = [(1, 1), (2, 3), (5, 33), (1, 200), (150, 3), (7, 65), (3, 160)]
    for number, shape in enumerate(shapes):
        x = torch.randn(shape, generator=random)
        rows[number], cols[number] = shape
        values[number, : x.numel()] = x.reshape(-1)
        tolerance[number] = 1e-2
