# problem: relu
import torch
import triton
import triton.language as tl


@triton.jit
def relu(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(source + at)  # doctor: out_of_bounds
    tl.store(target + at, tl.maximum(x, 0.0), mask=at < n)


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    relu[(triton.cdiv(n, 512),)](input, output, n, BLOCK=512)
