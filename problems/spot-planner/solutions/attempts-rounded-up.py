"""Wrong: rounds the number of attempts up. The last attempt ends after the deadline, so it does not help. Only whole attempts within
the deadline count.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def choose(work, deadline, price, survival, write, plan, jobs, families, BLOCK: tl.constexpr):
    job = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = job < jobs
    slots_of_work = tl.load(work + job, mask=inside, other=1)
    limit = tl.load(deadline + job, mask=inside, other=0)
    least = tl.full((BLOCK,), 1e30, tl.float32)
    best = tl.zeros((BLOCK,), tl.int32)
    for family in range(0, families):
        paid = tl.load(price + family)
        log_survival = tl.log(tl.load(survival + family))
        for k in range(0, 6):
            slots = (1 << k) + tl.load(write + family)
            success = tl.exp(log_survival * slots)
            pieces = (slots_of_work + (1 << k) - 1) >> k
            spare = (limit + slots - 1) // slots - pieces
            cost = paid * slots / success * pieces
            wanted = inside & (cost < least) & (spare >= 0)
            term = tl.exp(log_survival * slots * pieces)
            total = term
            failures = family * 0 + 1
            open_ = tl.sum((wanted & (total < 0.95) & (spare >= failures)).to(tl.int32), axis=0)
            while open_ > 0:
                term *= (1.0 - success) * (pieces + failures - 1) / failures
                total = tl.where(spare >= failures, total + term, total)
                failures += 1
                open_ = tl.sum((wanted & (total < 0.95) & (spare >= failures)).to(tl.int32), axis=0)
            good = wanted & (total >= 0.95)
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
    choose[(triton.cdiv(jobs, 512),)](
        work, deadline, price, survival, write, plan, jobs, families, BLOCK=512
    )
