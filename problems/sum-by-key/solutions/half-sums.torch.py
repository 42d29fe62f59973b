"""Lower precision: adds up in float16, whose steps are 1 from 1024 on. Keys with one value are off by up to 2^-12, and the
sum of a frequent key stops growing.
"""

import torch


def solve(
    keys: torch.Tensor, values: torch.Tensor, unique_keys: torch.Tensor, sums: torch.Tensor, count: torch.Tensor, n: int
) -> None:
    distinct, run = torch.unique(keys, return_inverse=True)
    unique_keys.zero_()
    unique_keys[: len(distinct)] = distinct
    total = torch.zeros(n, dtype=torch.float16, device=keys.device)
    total.index_add_(0, run, values.to(torch.float16))
    sums.copy_(total)
    count.fill_(len(distinct))
