# problem: relu
import torch
import triton
import triton.language as tl


@triton.jit
def relu(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(source + at, mask=inside, other=0.0).to(tl.float16)
    large = x * 3000.0
    larger = large * 80.0  # doctor: half_overflow
    tl.store(target + at, tl.maximum(larger.to(tl.float32) / 240000.0, 0.0), mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    relu[(triton.cdiv(n, 1024),)](input, output, n, BLOCK=1024)
