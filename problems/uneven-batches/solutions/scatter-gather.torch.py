import torch
import torch.distributed as dist


def solve(g0: torch.Tensor, g1: torch.Tensor, count: torch.Tensor, m: int, n: int) -> None:
    size = dist.get_world_size()
    flat = torch.cat((g0.reshape(-1), g1)) * count
    length = -(-flat.numel() // size)
    padded = torch.zeros(size * length, device=flat.device)
    padded[: flat.numel()] = flat
    total = count.clone()
    dist.all_reduce(total)
    part = torch.empty(length, device=flat.device)
    dist.reduce_scatter_tensor(part, padded)
    part /= total
    dist.all_gather_into_tensor(padded, part)
    g0.copy_(padded[: g0.numel()].view_as(g0))
    g1.copy_(padded[g0.numel() : flat.numel()])
