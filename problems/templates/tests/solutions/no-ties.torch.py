"""Wrong: no number occurs twice, so nothing shows which of two equal places is found."""

import torch


def solve(lengths, values):
    for number, row in enumerate([[-5, -3, -1], [-9, 2, 1]]):
        lengths[number] = len(row)
        values[number, : len(row)] = torch.tensor(row)
