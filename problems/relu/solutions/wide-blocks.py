"""8192 elements on eight warps: every thread has eight 16-byte loads in flight. Bound by memory bandwidth.

The input is read once and the output not at all, so both may leave the cache first.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def relu(input, output, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(input + at, mask=inside, eviction_policy="evict_first")
    tl.store(output + at, tl.maximum(x, 0.0), mask=inside, eviction_policy="evict_first")


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    relu[(triton.cdiv(n, 8192),)](input, output, n, BLOCK=8192, num_warps=8)
