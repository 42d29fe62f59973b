"""A sort, a comparison of neighbours, a cumulative sum, and one scatter: what torch.unique does inside.

What bounds it: the sort. Nothing here waits for the GPU, because the number of keys is never read by the host.
"""

import torch


def solve(
    keys: torch.Tensor, values: torch.Tensor, unique_keys: torch.Tensor, sums: torch.Tensor, count: torch.Tensor, n: int
) -> None:
    ordered, order = torch.sort(keys)
    head = torch.ones(n, dtype=torch.int64, device=keys.device)
    head[1:] = ordered[1:] != ordered[:-1]
    run = torch.cumsum(head, 0) - 1
    unique_keys.zero_()
    unique_keys.scatter_(0, run, ordered)
    sums.zero_()
    sums.scatter_add_(0, run, values[order])
    count.copy_(run[-1:] + 1)
