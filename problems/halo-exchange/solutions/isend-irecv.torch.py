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
        works = [dist.isend(u[-1:], right), dist.irecv(halos[0], left)]
        works += [dist.isend(u[:1], left), dist.irecv(halos[1], right)]
        for work in works:
            work.wait()
        smooth(u, halos[0], halos[1])
