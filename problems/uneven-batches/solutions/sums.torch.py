import torch
import torch.distributed as dist


def solve(g0: torch.Tensor, g1: torch.Tensor, count: torch.Tensor, m: int, n: int) -> None:
    for gradient in (g0, g1):
        gradient *= count
        dist.all_reduce(gradient)
