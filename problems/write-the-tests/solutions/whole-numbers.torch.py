"""Wrong: all values are small whole numbers. They are exact in half precision, and their exponentials never
overflow.
"""

import torch


def solve(rows, cols, values, tolerance):
    for number, shape in enumerate([(1, 1), (2, 3), (5, 33), (1, 200), (150, 3)]):
        x = (torch.arange(shape[0] * shape[1]) * 5 % 11).float()
        rows[number], cols[number] = shape
        values[number, : x.numel()] = x
        tolerance[number] = 1e-4
