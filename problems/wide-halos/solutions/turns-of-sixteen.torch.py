import torch
import torch.distributed as dist

WIDTH = 16


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
    for done in range(0, steps, WIDTH):
        halo = torch.empty(width, dtype=torch.int32, device=u.device)
        if rank == 0:
            dist.send(u[-width:], 1)
            dist.recv(halo, 1)
        else:
            dist.recv(halo, 0)
            dist.send(u[:width], 0)
        advance(u, halo, rank, min(WIDTH, steps - done))
