import torch
import torch.distributed as dist


def smooth(u, left, right):
    padded = torch.cat((left, u, right))
    u.copy_(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    for _ in range(steps):
        halos = torch.empty(2, 1, device=u.device)
        if rank % 2 == 0:
            dist.send(u[-1:], right)
            dist.recv(halos[0], left)
            dist.send(u[:1], left)
            dist.recv(halos[1], right)
        else:
            dist.recv(halos[0], left)
            dist.send(u[-1:], right)
            dist.recv(halos[1], right)
            dist.send(u[:1], left)
        smooth(u, halos[0], halos[1])
