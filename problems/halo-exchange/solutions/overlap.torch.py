import torch
import torch.distributed as dist


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    for _ in range(steps):
        halos = torch.empty(2, 1, device=u.device)
        works = dist.batch_isend_irecv(
            [
                dist.P2POp(dist.isend, u[:1], left),
                dist.P2POp(dist.isend, u[-1:], right),
                dist.P2POp(dist.irecv, halos[0], left),
                dist.P2POp(dist.irecv, halos[1], right),
            ]
        )
        new = torch.empty_like(u)
        new[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
        for work in works:
            work.wait()
        after_first = u[1] if n > 1 else halos[1, 0]
        before_last = u[-2] if n > 1 else halos[0, 0]
        new[-1] = 0.25 * before_last + 0.5 * u[-1] + 0.25 * halos[1, 0]
        new[0] = 0.25 * halos[0, 0] + 0.5 * u[0] + 0.25 * after_first
        u.copy_(new)
