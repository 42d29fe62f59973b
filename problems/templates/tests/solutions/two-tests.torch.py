"""Two tests that show two mistakes each: negative numbers that end with the largest one, and a tie below a large negative one."""

import torch


def solve(lengths, values):
    for number, row in enumerate([[-5, -3, -1], [-9, 2, 2]]):
        lengths[number] = len(row)
        values[number, : len(row)] = torch.tensor(row)
