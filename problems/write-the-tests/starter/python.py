import torch


def solve(rows, cols, values, tolerance):
    # Each test is a matrix and a relative tolerance. The judge compares with the exact softmax.
    tests = [
        (torch.tensor([[1.0, 2.0, 3.0]]), 1e-2),
    ]
    for number, (x, allowed) in enumerate(tests):
        rows[number], cols[number] = x.shape
        values[number, : x.numel()] = x.reshape(-1)
        tolerance[number] = allowed
