import torch
import torch.distributed as dist


def solve(g0: torch.Tensor, g1: torch.Tensor, count: torch.Tensor, m: int, n: int) -> None:
    bucket = torch.cat((g0.reshape(-1) * count, g1 * count, count.reshape(1).float()))
    dist.all_reduce(bucket)
    bucket /= bucket[-1].clone()
    g0.copy_(bucket[: g0.numel()].view_as(g0))
    g1.copy_(bucket[g0.numel() : -1])
