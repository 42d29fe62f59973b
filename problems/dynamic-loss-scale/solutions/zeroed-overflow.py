"""Wrong: infinite gradients are replaced by zero, as if that repaired the step. The step is skipped as a whole,
and its gradients must show why: the statement asks for the quotient, which is infinite.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def unscale(scaled, grad, state, flag, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(scaled + at, mask=at < n, other=0.0).to(tl.float32)
    infinite = (tl.abs(value) == float("inf")).to(tl.int32)
    finite = tl.where(infinite != 0, 0.0, value)
    tl.store(grad + at, finite / tl.load(state), mask=at < n)
    tl.atomic_max(flag, tl.max(infinite, axis=0))


@triton.jit
def update(state, flag, interval):
    overflow = tl.load(flag) != 0
    scale = tl.load(state)
    streak = tl.where(overflow, 0.0, tl.load(state + 1) + 1.0)
    grown = streak == interval
    scale = tl.where(overflow, scale * 0.5, tl.where(grown, scale * 2.0, scale))
    tl.store(state, scale)
    tl.store(state + 1, tl.where(grown, 0.0, streak))
    tl.store(state + 2, tl.load(state + 2) + tl.where(overflow, 1.0, 0.0))
    tl.store(flag, 0)


def solve(
    scaled: torch.Tensor, grad: torch.Tensor, state: torch.Tensor, steps: int, n: int, interval: int
) -> None:
    flag = torch.zeros(1, dtype=torch.int32, device=scaled.device)
    for step in range(steps):
        unscale[(triton.cdiv(n, 4096),)](scaled[step], grad[step], state, flag, n, BLOCK=4096)
        update[(1,)](state, flag, interval)
