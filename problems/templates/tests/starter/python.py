import torch


def solve(lengths, values):
    # Each test is a row of numbers. The judge knows the right answer.
    tests = [
        [3, 1, 2],
    ]
    for number, row in enumerate(tests):
        lengths[number] = len(row)
        values[number, : len(row)] = torch.tensor(row)
