"""tl.philox is the same generator: key from a 64-bit seed, four words of counter, ten rounds.

What bounds it: integer arithmetic and memory bandwidth about equally. The pairs are interleaved in registers, so that the
stores are contiguous.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def normal_pair(u, v):
    radius = tl.sqrt(-2.0 * tl.log((u.to(tl.float32) + 0.5) * 2.3283064365386963e-10))
    angle = v.to(tl.float32) * 1.4629180792671596e-09
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def generate(state, bits, normal, n, BLOCK: tl.constexpr):
    block = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counter = tl.load(state + 1) + block.to(tl.int64)
    c0 = (counter & 0xFFFFFFFF).to(tl.uint32)
    c1 = (counter >> 32).to(tl.uint32)
    nothing = tl.zeros((BLOCK,), tl.uint32)
    c0, c1, c2, c3 = tl.philox(tl.load(state).to(tl.uint64), c0, c1, nothing, nothing)
    n0, n1 = normal_pair(c0, c1)
    n2, n3 = normal_pair(c2, c3)
    at = tl.program_id(0) * 4 * BLOCK + tl.arange(0, 4 * BLOCK)
    tl.store(bits + at, tl.interleave(tl.interleave(c0, c2), tl.interleave(c1, c3)), mask=at < n)
    tl.store(normal + at, tl.interleave(tl.interleave(n0, n2), tl.interleave(n1, n3)), mask=at < n)


def solve(state: torch.Tensor, bits: torch.Tensor, normal: torch.Tensor, n: int) -> None:
    generate[(triton.cdiv(n, 2048),)](state, bits, normal, n, BLOCK=512)
