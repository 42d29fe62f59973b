"""Wrong: a conversion to an integer drops the fraction, so each quotient moves towards zero, by half a step on
average. The largest error doubles, and all weights shrink. Round to the nearest integer.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def code(weight, step):
    return (weight / step).to(tl.int32) + 8


@triton.jit
def pack(w, packed, scale, pairs, BLOCK: tl.constexpr):
    group = tl.program_id(0).to(tl.int64)
    pair = tl.arange(0, BLOCK)
    inside = pair < pairs
    start = w + 2 * group * pairs + 2 * pair
    even = tl.load(start, mask=inside, other=0.0)
    odd = tl.load(start + 1, mask=inside, other=0.0)
    most = tl.max(tl.maximum(tl.abs(even), tl.abs(odd)), axis=0)
    rounded = tl.where(most > 0.0, most / 7.0, 1.0).to(tl.float16)
    step = rounded.to(tl.float32)
    both = code(even, step) | (code(odd, step) << 4)
    tl.store(packed + group * pairs + pair, both.to(tl.uint8), mask=inside)
    tl.store(scale + group, rounded)


def solve(
    w: torch.Tensor,
    packed: torch.Tensor,
    scale: torch.Tensor,
    m: int,
    k: int,
    group: int,
) -> None:
    pairs = group // 2
    pack[(m * (k // group),)](w, packed, scale, pairs, BLOCK=triton.next_power_of_2(pairs))
