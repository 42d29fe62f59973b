"""A test for each mistake: a tie, only negative numbers, the largest one at the end, and a large negative one."""

import torch


def solve(lengths, values):
    tests = [[1, 9, 9, 2], [-5, -3, -7], [4, 5, 6], [-9, 2]]
    for number, row in enumerate(tests):
        lengths[number] = len(row)
        values[number, : len(row)] = torch.tensor(row)
