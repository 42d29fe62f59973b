"""A table of the slots that each option needs for each number of pieces, and then only comparisons for each job.

Bound by the loads of the table, which come from the cache: one for each job and option, at addresses that depend on the work.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def tabulate(price, survival, write, need, each, total, BLOCK: tl.constexpr):
    entry = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = entry < total
    option = entry // 64
    pieces = entry % 64
    family = option // 6
    slots = (1 << (option % 6)) + tl.load(write + family, mask=inside, other=1)
    log_success = tl.log(tl.load(survival + family, mask=inside, other=1.0)) * slots
    success = tl.exp(log_success)
    term = tl.exp(log_success * pieces)
    reached = term
    needed = tl.where(reached >= 0.95, pieces, 1 << 20)
    for failures in range(1, 257):
        term *= (1.0 - success) * (pieces + failures - 1) / failures
        reached += term
        needed = tl.where((reached >= 0.95) & (needed > pieces + failures), pieces + failures, needed)
    tl.store(need + entry, tl.minimum(needed, 1 << 20) * slots, mask=inside)
    cost = tl.load(price + family, mask=inside, other=0.0) * slots / success
    tl.store(each + option, cost, mask=inside & (pieces == 1))


@triton.jit
def choose(work, deadline, need, each, plan, jobs, families, BLOCK: tl.constexpr):
    job = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = job < jobs
    slots_of_work = tl.load(work + job, mask=inside, other=1)
    limit = tl.load(deadline + job, mask=inside, other=0)
    least = tl.full((BLOCK,), 1e30, tl.float32)
    best = tl.zeros((BLOCK,), tl.int32)
    for family in range(0, families):
        for k in range(0, 6):
            option = 6 * family + k
            pieces = (slots_of_work + (1 << k) - 1) >> k
            cost = tl.load(each + option) * pieces
            good = (tl.load(need + 64 * option + pieces, mask=inside, other=0) <= limit) & (cost < least)
            least = tl.where(good, cost, least)
            best = tl.where(good, 8 * family + k, best)
    tl.store(plan + job, best, mask=inside)


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
    total = families * 6 * 64
    need = torch.empty(total, dtype=torch.int32, device=work.device)
    each = torch.empty(families * 6, dtype=torch.float32, device=work.device)
    tabulate[(triton.cdiv(total, 512),)](price, survival, write, need, each, total, BLOCK=512)
    choose[(triton.cdiv(jobs, 1024),)](work, deadline, need, each, plan, jobs, families, BLOCK=1024)
