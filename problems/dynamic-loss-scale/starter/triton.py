import torch
import triton
import triton.language as tl

# Two launches per step: divide and look for infinities, then update the state. Fill the four holes.


@triton.jit
def unscale(scaled, grad, state, flag, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(scaled + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(grad + at, value, mask=at < n)  # 1. Divide by the scale.
    # 2. Set the flag if any value is infinite.


@triton.jit
def update(state, flag, interval):
    streak = tl.load(state + 1) + 1.0
    # 3. After an overflow: halve the scale, clear the streak, and count a skipped step.
    # 4. At the interval: double the scale, and clear the streak.
    tl.store(state + 1, streak)
    tl.store(flag, 0)


def solve(
    scaled: torch.Tensor, grad: torch.Tensor, state: torch.Tensor, steps: int, n: int, interval: int
) -> None:
    flag = torch.zeros(1, dtype=torch.int32, device=scaled.device)
    for step in range(steps):
        unscale[(triton.cdiv(n, 4096),)](scaled[step], grad[step], state, flag, n, BLOCK=4096)
        update[(1,)](state, flag, interval)
