"""Flags of all steps, all scales in one program, then all quotients: three launches for any number of steps.

Bound by memory: 8 bytes per gradient, because the gradients are read twice.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def look(scaled, flags, n, BLOCK: tl.constexpr):
    step = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(scaled + step.to(tl.int64) * n + at, mask=at < n, other=0.0).to(tl.float32)
    tl.atomic_max(flags + step, tl.max((tl.abs(value) == float("inf")).to(tl.int32), axis=0))


@triton.jit
def follow(state, flags, scales, steps, interval):
    scale = tl.load(state)
    streak = tl.load(state + 1)
    skipped = tl.load(state + 2)
    for step in range(0, steps):
        tl.store(scales + step, scale)
        overflow = tl.load(flags + step) != 0
        streak = tl.where(overflow, 0.0, streak + 1.0)
        grown = streak == interval
        scale = tl.where(overflow, scale * 0.5, tl.where(grown, scale * 2.0, scale))
        streak = tl.where(grown, 0.0, streak)
        skipped += tl.where(overflow, 1.0, 0.0)
    tl.store(state, scale)
    tl.store(state + 1, streak)
    tl.store(state + 2, skipped)


@triton.jit
def unscale(scaled, grad, scales, n, BLOCK: tl.constexpr):
    step = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    start = step.to(tl.int64) * n
    value = tl.load(scaled + start + at, mask=at < n).to(tl.float32)
    tl.store(grad + start + at, value / tl.load(scales + step), mask=at < n)


def solve(
    scaled: torch.Tensor, grad: torch.Tensor, state: torch.Tensor, steps: int, n: int, interval: int
) -> None:
    flags = torch.zeros(steps, dtype=torch.int32, device=scaled.device)
    scales = torch.empty(steps, dtype=torch.float32, device=scaled.device)
    grid = (steps, triton.cdiv(n, 4096))
    look[grid](scaled, flags, n, BLOCK=4096)
    follow[(1,)](state, flags, scales, steps, interval)
    unscale[grid](scaled, grad, scales, n, BLOCK=4096)
