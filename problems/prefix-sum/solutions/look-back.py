"""One pass: a program publishes the total of its block and walks back over those before it to a complete prefix.

Bound by memory bandwidth: 8 bytes per element, as in a copy. One word of 64 bits per block holds what is known
(0 nothing, 1 the block's total, 2 the prefix up to its end) above the number, so that both change at once.
Source: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016.
"""

import torch
import triton
import triton.language as tl

TOTAL = tl.constexpr(1 << 32)
PREFIX = tl.constexpr(2 << 32)
NUMBER = tl.constexpr((1 << 32) - 1)


@triton.jit
def scan(source, target, words, counter, n, BLOCK: tl.constexpr):
    block = tl.atomic_add(counter, 1).to(tl.int32)  # in the order of arrival, so earlier blocks have started
    at = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(source + at, mask=at < n, other=0.0)
    total = tl.sum(values, axis=0)
    tl.atomic_xchg(words + block, (total.to(tl.int32, bitcast=True).to(tl.int64) & NUMBER) + TOTAL)

    # 32 predecessors at a time: a prefix ends the walk, and nearer predecessors must have published at least a total.
    before = total - total
    lane = tl.arange(0, 32)
    nearest = block - 1
    while nearest >= 0:
        at_word = nearest - lane
        word = tl.load(words + at_word, mask=at_word >= 0, other=PREFIX, volatile=True)
        known = word >> 32
        last = tl.min(tl.where(known == 2, lane, 32), axis=0)
        missing = tl.sum(((known == 0) & (lane < last)).to(tl.int32), axis=0)
        part = tl.where(lane <= last, word.to(tl.int32).to(tl.float32, bitcast=True), 0.0)
        before += tl.where(missing == 0, tl.sum(part, axis=0), 0.0)
        nearest = tl.where(missing > 0, nearest, tl.where(last < 32, -1, nearest - 32))
    prefix = before + total
    tl.atomic_xchg(words + block, (prefix.to(tl.int32, bitcast=True).to(tl.int64) & NUMBER) + PREFIX)
    tl.store(target + at, before + tl.cumsum(values, axis=0), mask=at < n)


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    blocks = triton.cdiv(n, 4096)
    words = torch.zeros(blocks + 1, dtype=torch.int64, device=input.device)  # the last one counts the blocks
    counter = words[blocks:]
    scan[(blocks,)](input, output, words, counter, n, BLOCK=4096, num_warps=4)
