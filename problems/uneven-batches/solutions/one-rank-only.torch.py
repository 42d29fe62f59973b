import torch
import torch.distributed as dist


def solve(g0: torch.Tensor, g1: torch.Tensor, count: torch.Tensor, m: int, n: int) -> None:
    total = count.clone()
    dist.all_reduce(total)
    for gradient in (g0, g1):
        gradient *= count / total
        if dist.get_rank() == 0:
            other = torch.empty_like(gradient)
            dist.recv(other, 1)
            gradient += other
        else:
            dist.send(gradient.contiguous(), 0)
