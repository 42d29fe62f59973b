import torch
import torch.distributed as dist


def solve(g0: torch.Tensor, g1: torch.Tensor, count: torch.Tensor, m: int, n: int) -> None:
    g0 *= count
    works = [dist.all_reduce(g0, async_op=True)]
    g1 *= count
    total = count.clone()
    works += [dist.all_reduce(g1, async_op=True), dist.all_reduce(total, async_op=True)]
    for work in works:
        work.wait()
    g0 /= total
    g1 /= total
