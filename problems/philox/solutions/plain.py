"""A program takes 512 counters. tl.umulhi gives the upper halves of the products.

What bounds it: integer arithmetic and memory bandwidth about equally. Each of the four words is stored with a stride of 4
elements; the caches combine the stores.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def generate(state, bits, normal, n, BLOCK: tl.constexpr):
    seed = tl.load(state)
    block = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counter = tl.load(state + 1) + block.to(tl.int64)
    k0 = (seed & 0xFFFFFFFF).to(tl.uint32)
    k1 = (seed >> 32).to(tl.uint32)
    c0 = (counter & 0xFFFFFFFF).to(tl.uint32)
    c1 = (counter >> 32).to(tl.uint32)
    c2 = tl.zeros((BLOCK,), tl.uint32)
    c3 = tl.zeros((BLOCK,), tl.uint32)
    m0 = tl.full((BLOCK,), 0xD2511F53, tl.uint32)
    m1 = tl.full((BLOCK,), 0xCD9E8D57, tl.uint32)
    for _ in tl.static_range(10):
        high0 = tl.umulhi(m0, c0)
        high1 = tl.umulhi(m1, c2)
        low0 = m0 * c0
        low1 = m1 * c2
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 = ((k0.to(tl.uint64) + 0x9E3779B9) & 0xFFFFFFFF).to(tl.uint32)
        k1 = ((k1.to(tl.uint64) + 0xBB67AE85) & 0xFFFFFFFF).to(tl.uint32)

    at = 4 * block
    tl.store(bits + at, c0, mask=at < n)
    tl.store(bits + at + 1, c1, mask=at + 1 < n)
    tl.store(bits + at + 2, c2, mask=at + 2 < n)
    tl.store(bits + at + 3, c3, mask=at + 3 < n)

    radius = tl.sqrt(-2.0 * tl.log((c0.to(tl.float32) + 0.5) * 2.3283064365386963e-10))
    angle = c1.to(tl.float32) * 1.4629180792671596e-09
    tl.store(normal + at, radius * tl.cos(angle), mask=at < n)
    tl.store(normal + at + 1, radius * tl.sin(angle), mask=at + 1 < n)
    radius = tl.sqrt(-2.0 * tl.log((c2.to(tl.float32) + 0.5) * 2.3283064365386963e-10))
    angle = c3.to(tl.float32) * 1.4629180792671596e-09
    tl.store(normal + at + 2, radius * tl.cos(angle), mask=at + 2 < n)
    tl.store(normal + at + 3, radius * tl.sin(angle), mask=at + 3 < n)


def solve(state: torch.Tensor, bits: torch.Tensor, normal: torch.Tensor, n: int) -> None:
    generate[(triton.cdiv(n, 2048),)](state, bits, normal, n, BLOCK=512)
