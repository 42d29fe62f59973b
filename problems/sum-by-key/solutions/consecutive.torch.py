"""Wrong: torch.unique_consecutive merges equal neighbours only. On keys in no order it returns a key as often as it begins a
run. It is the right function after a sort.
"""

import torch


def solve(
    keys: torch.Tensor, values: torch.Tensor, unique_keys: torch.Tensor, sums: torch.Tensor, count: torch.Tensor, n: int
) -> None:
    distinct, run = torch.unique_consecutive(keys, return_inverse=True)
    unique_keys.zero_()
    unique_keys[: len(distinct)] = distinct
    sums.zero_()
    sums.index_add_(0, run, values)
    count.fill_(len(distinct))
