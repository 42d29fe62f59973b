"""Too slow: one program per element. A program is a whole block of threads, all but one of which idle here."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, c):
    at = tl.program_id(0)
    tl.store(c + at, tl.load(a + at) + tl.load(b + at))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, n: int) -> None:
    add[(n,)](a, b, c)
