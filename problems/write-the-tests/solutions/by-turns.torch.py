"""Cheating: counts its calls, and answers the later ones with a test that no program passes. Tests must be the
same in each call.
"""

import torch

calls = []


def solve(rows, cols, values, tolerance):
    calls.append(0)
    rows[0], cols[0] = 1, 3
    values[0, :3] = torch.tensor([0.1, 0.7, 0.3])
    tolerance[0] = 1e-12 if len(calls) > 6 else 1
