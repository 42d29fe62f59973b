import torch
import torch.distributed as dist

WIDTH = 8


def advance(u, halo, rank, steps):
    for _ in range(steps):
        padded = torch.nn.functional.pad(u, (1, 1))
        padded[-1 if rank == 0 else 0] = halo[0 if rank == 0 else -1]
        u.copy_(padded[:-2] ^ (padded[1:-1] | padded[2:]))


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    rank = dist.get_rank()
    width = min(WIDTH, n)
    border = slice(n - width, n) if rank == 0 else slice(0, width)
    for done in range(0, steps, WIDTH):
        halo = torch.empty(width, dtype=torch.int32, device=u.device)
        works = dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, u[border], 1 - rank), dist.P2POp(dist.irecv, halo, 1 - rank)]
        )
        for work in works:
            work.wait()
        advance(u, halo, rank, min(WIDTH, steps - done))
