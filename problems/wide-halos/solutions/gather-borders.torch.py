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
    borders = torch.empty(2 * width, dtype=torch.int32, device=u.device)
    for done in range(0, steps, WIDTH):
        dist.all_gather_into_tensor(borders, u[-width:] if rank == 0 else u[:width])
        advance(u, borders[width:] if rank == 0 else borders[:width], rank, min(WIDTH, steps - done))
