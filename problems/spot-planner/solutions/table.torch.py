"""Dynamic programming over attempts fills a table for all options at once. Then each option is a lookup for all jobs.

Bound by memory, many times over: each option reads and writes several arrays of all jobs.
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
    least = torch.full((jobs,), torch.inf, dtype=torch.float32, device=work.device)
    plan.zero_()
    for family in range(families):
        for power in range(6):
            pieces = ((work + (1 << power) - 1) >> power).long()
            cost = each[family, power] * pieces
            good = (need[family, power][pieces] <= deadline) & (cost < least)
            least = torch.where(good, cost, least)
            plan.copy_(torch.where(good, 8 * family + power, plan))
