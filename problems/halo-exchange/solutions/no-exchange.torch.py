import torch
import torch.distributed as dist


def smooth(u, left, right):
    padded = torch.cat((left, u, right))
    u.copy_(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def solve(u: torch.Tensor, n: int, steps: int) -> None:
    for _ in range(steps):
        smooth(u, u[-1:].clone(), u[:1].clone())
