"""A table of the best plan for each pair of work and deadline, and one lookup for each job.

Bound by memory: the work and the deadline of a job are read once, and the table is in the cache. The table itself costs
thousands of small steps, which pays for millions of jobs.
"""

import torch

MOST_WORK, MOST_ATTEMPTS = 48, 256


def solve(
    work: torch.Tensor,
    deadline: torch.Tensor,
    price: torch.Tensor,
    survival: torch.Tensor,
    write: torch.Tensor,
    plan: torch.Tensor,
    jobs: int,
    families: int,
) -> None:
    k = torch.arange(6, device=work.device)
    slots = write[:, None] + (1 << k)
    success = survival[:, None] ** slots
    # done[f, k, m]: the probability of at least m finished pieces after the attempts so far.
    done = torch.zeros((families, 6, MOST_WORK + 1), dtype=torch.float32, device=work.device)
    done[:, :, 0] = 1.0
    need = torch.full(done.shape, 1 << 20, device=work.device)
    for attempts in range(1, MOST_ATTEMPTS + 1):
        more = success[:, :, None] * done[:, :, :-1] + (1 - success[:, :, None]) * done[:, :, 1:]
        done = torch.cat([done[:, :, :1], more], 2)
        need = torch.where((done >= 0.95) & (need > attempts), attempts, need)
    need = need * slots[:, :, None]
    each = price[:, None] * slots / success
    limits = torch.arange(257, device=work.device)
    amounts = torch.arange(MOST_WORK + 1, device=work.device)
    pieces = (amounts[None, :] + (1 << k[:, None]) - 1) >> k[:, None]  # [k, work]
    needed = need.gather(2, pieces.expand(families, 6, MOST_WORK + 1))  # [f, k, work]
    cost = (each[:, :, None] * pieces)[..., None]
    cost = torch.where(needed[..., None] <= limits, cost, torch.inf)  # [f, k, work, deadline]
    best = cost.reshape(6 * families, MOST_WORK + 1, 257).argmin(0)
    table = (best // 6 * 8 + best % 6).to(torch.int32)
    plan.copy_(table[work.long(), deadline.clamp(max=256).long()])
