import torch
import torch.distributed as dist

WIDTH = 8


def advance(u, halo, rank, steps):
    n = u.numel()
    row = torch.cat((u, halo) if rank == 0 else (halo, u))
    for _ in range(steps):
        padded = torch.nn.functional.pad(row, (1, 1))
        row = padded[:-2] ^ (padded[1:-1] | padded[2:])
    u.copy_(row[:n] if rank == 0 else row[-n:])


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    rank = dist.get_rank()
    width = min(WIDTH, n)
    border = slice(0, width) if rank == 0 else slice(n - width, n)
    for done in range(0, steps, WIDTH):
        halo = torch.empty(width, dtype=torch.int32, device=u.device)
        works = dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, u[border], 1 - rank), dist.P2POp(dist.irecv, halo, 1 - rank)]
        )
        for work in works:
            work.wait()
        advance(u, halo, rank, min(WIDTH, steps - done))
