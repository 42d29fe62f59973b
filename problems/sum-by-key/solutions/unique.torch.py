"""torch.unique sorts, marks and scans; its inverse is the index of each value's sum.

What bounds it: the sort inside torch.unique, and the atomic additions of index_add_, many of which go to one address.
"""

import torch


def solve(
    keys: torch.Tensor, values: torch.Tensor, unique_keys: torch.Tensor, sums: torch.Tensor, count: torch.Tensor, n: int
) -> None:
    distinct, run = torch.unique(keys, return_inverse=True)
    unique_keys.zero_()
    unique_keys[: len(distinct)] = distinct
    sums.zero_()
    sums.index_add_(0, run, values)
    count.fill_(len(distinct))
