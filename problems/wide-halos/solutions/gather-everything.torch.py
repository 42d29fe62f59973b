import torch
import torch.distributed as dist


def advance(u, halo, rank, steps):
    n = u.numel()
    row = torch.cat((u, halo) if rank == 0 else (halo, u))
    for _ in range(steps):
        padded = torch.nn.functional.pad(row, (1, 1))
        row = padded[:-2] ^ (padded[1:-1] | padded[2:])
    u.copy_(row[:n] if rank == 0 else row[-n:])


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    rank = dist.get_rank()
    row = torch.empty(2 * n, dtype=torch.int32, device=u.device)
    dist.all_gather_into_tensor(row, u)
    advance(u, row[n:] if rank == 0 else row[:n], rank, steps)
