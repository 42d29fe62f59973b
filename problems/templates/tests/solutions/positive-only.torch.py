"""Wrong: all numbers are positive. A search that begins with 0 passes."""

import torch


def solve(lengths, values):
    for number, row in enumerate([[1, 9, 9, 2], [4, 5, 6]]):
        lengths[number] = len(row)
        values[number, : len(row)] = torch.tensor(row)
