# problem: reduction-sum
import torch
import triton
import triton.language as tl


@triton.jit
def add_up(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(source + at, mask=at < n)  # doctor: masked_load
    tl.atomic_add(target, tl.sum(values, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    output.zero_()
    add_up[(triton.cdiv(n, 1024),)](input, output, n, BLOCK=1024)
