"""Few large tests instead of many small ones. Each row of a tall matrix has another scale, offset and place
of the maximum.

The tall matrix has 101 rows of five columns. The second matrix has more than 128 columns, and the third one more than
128 rows.
"""

import torch


def solve(rows, cols, values, tolerance):
    at = torch.arange(505, dtype=torch.float64).reshape(101, 5)
    tall = 3 * torch.sin(at * 1.9) * (1 + torch.arange(101).reshape(-1, 1) % 8)
    tall += torch.tensor([0.0, 95.0, -120.0, 300.0, -800.0])[torch.arange(101) % 5].reshape(-1, 1)
    tall[::6, 3] = tall[::6].max(dim=1).values
    tall[::6, 1] = tall[::6, 3]
    tall[4, 2] = 130.5
    tests = [tall, tall.reshape(-1)[:346].reshape(2, 173).cos(), tall.reshape(-1)[:390].reshape(130, 3).cos()]
    for number, x in enumerate(tests):
        rows[number], cols[number] = x.shape
        values[number, : x.numel()] = x.reshape(-1)
        tolerance[number] = 1e-4
