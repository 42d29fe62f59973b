import torch
import torch.distributed as dist


def smooth(u, left, right):
    padded = torch.cat((left, u, right))
    u.copy_(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    borders = torch.zeros(2 * size, device=u.device)
    for _ in range(steps):
        if rank < size - 1:
            dist.all_gather_into_tensor(borders, torch.stack((u[0], u[-1])))
        smooth(u, borders[2 * left + 1 : 2 * left + 2], borders[2 * right : 2 * right + 1])
