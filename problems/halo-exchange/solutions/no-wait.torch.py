import torch
import torch.distributed as dist


def smooth(u, left, right):
    padded = torch.cat((left, u, right))
    u.copy_(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    for _ in range(steps):
        halos = torch.zeros(2, 1, device=u.device)
        borders = torch.stack((u[:1], u[-1:]))
        works = [dist.irecv(halos[0], left), dist.irecv(halos[1], right)]
        smooth(u, halos[0], halos[1])
        works += [dist.isend(borders[1], right), dist.isend(borders[0], left)]
        for work in works:
            work.wait()
