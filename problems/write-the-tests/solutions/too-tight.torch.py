"""Wrong: a tolerance of half a unit in the last place. Right programs that add in another order are refused.
"""

import torch


def solve(rows, cols, values, tolerance):
    random = torch.Generator().manual_seed(2)
    for number in range(12):
        x = (1 + 10 * number) * torch.randn(3 + number, 37, generator=random)
        x[:, 5] = x[:, 9]
        rows[number], cols[number] = 3 + number, 37
        x = x[: 512 // 37]
        rows[number] = x.shape[0]
        values[number, : x.numel()] = x.reshape(-1)
        tolerance[number] = 6e-8
