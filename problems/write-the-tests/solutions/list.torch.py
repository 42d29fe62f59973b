"""One test for each way in which a softmax fails. The values are not whole numbers, so that lower precision
shows, and many rows have their largest element between the first and the last.

Eleven small tests kill all faulty programs. The tolerance lies between the honest error, about 0.00001, and that of
half precision.
"""

import torch


def wave(rows, cols, scale):
    at = torch.arange(rows * cols, dtype=torch.float64)
    return (scale * torch.sin(at * 2.3 + 0.7) + at % 5 / 7).reshape(rows, cols)


def solve(rows, cols, values, tolerance):
    tests = [
        wave(1, 1, 1.0),
        wave(3, 5, 2.0),
        wave(9, 37, 3.0),
        wave(1, 300, 1.0),
        wave(150, 3, 1.0),
        wave(2, 8, 20.0),
        wave(2, 3, 1.0) + 500.0,
        wave(2, 3, 1.0) - 500.0,
        wave(2, 4, 1.0) + torch.tensor([[0.0], [-300.0]]),
        torch.tensor([[0.5, 150.25, 1.0]]),
        torch.tensor([[3.25, 3.25, 1.0]]),
    ]
    for number, x in enumerate(tests):
        rows[number], cols[number] = x.shape
        values[number, : x.numel()] = x.reshape(-1)
        tolerance[number] = 1e-4
