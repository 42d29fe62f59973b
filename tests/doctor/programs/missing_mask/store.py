# problem: vector-add
import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    total = tl.load(a + at, mask=inside, other=0.0) + tl.load(b + at, mask=inside, other=0.0)
    tl.store(c + at, total)  # doctor: out_of_bounds


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, n: int) -> None:
    add[(triton.cdiv(n, 256),)](a, b, c, n, BLOCK=256)
