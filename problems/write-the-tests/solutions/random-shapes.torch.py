"""Random values of many sizes and scales: chosen shapes around the powers of two, and seeds that stay the
same.

Random values alone miss the ties, so the first element of each row is copied to its end. Offsets come from a
list.
"""

import torch

SHAPES = [(1, 2), (3, 3), (5, 33), (1, 129), (1, 511), (170, 3), (129, 3), (31, 16), (6, 64), (2, 7)]
OFFSETS = [0.0, 900.0, -900.0]


def solve(rows, cols, values, tolerance):
    random = torch.Generator().manual_seed(90)
    for number in range(30):
        shape = SHAPES[number % len(SHAPES)]
        x = torch.randn(shape, generator=random) * (1 + number) + OFFSETS[number % len(OFFSETS)]
        if number >= len(SHAPES):
            x[1::2] -= 250.0
        if number >= 2 * len(SHAPES):
            x[:, -1] = x[:, 0] = x.max(dim=1).values
        rows[number], cols[number] = shape
        values[number, : x.numel()] = x.reshape(-1)
        tolerance[number] = 1e-4
