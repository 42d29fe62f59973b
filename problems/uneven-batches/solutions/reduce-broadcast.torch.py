import torch
import torch.distributed as dist


def solve(g0: torch.Tensor, g1: torch.Tensor, count: torch.Tensor, m: int, n: int) -> None:
    total = count.clone()
    dist.all_reduce(total)
    for gradient in (g0, g1):
        gradient *= count / total
        dist.reduce(gradient, 0)
        dist.broadcast(gradient, 0)
