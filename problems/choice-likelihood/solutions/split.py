"""A program for each position and piece of the vocabulary, then one for each question.

What bounds it: memory. Pieces of 4096 logits give many programs even for few positions. Each stores its maximum and its sum,
which the second kernel merges for one position of four choices at a time.
"""

import torch
import triton
import triton.language as tl

PIECE = 4096


@triton.jit
def reduce_pieces(logits, span, most, total, t, v, pieces, PIECE: tl.constexpr):
    sequence = tl.program_id(1)
    place = tl.load(span + 2 * sequence) + tl.program_id(2)
    if place >= tl.load(span + 2 * sequence + 1):
        return
    row = (sequence * t + place).to(tl.int64)
    at = tl.program_id(0) * PIECE + tl.arange(0, PIECE)
    z = tl.load(logits + row * v + at, mask=at < v, other=-float("inf")).to(tl.float32)
    highest = tl.max(z, axis=0)
    tl.store(most + row * pieces + tl.program_id(0), highest)
    tl.store(total + row * pieces + tl.program_id(0), tl.sum(tl.exp(z - highest), axis=0))


@triton.jit
def choose(logits, tokens, span, most, total, score, pick, t, v, pieces, COUNT: tl.constexpr):
    choice = tl.arange(0, 4)
    sequence = tl.program_id(0) * 4 + choice
    start = tl.load(span + 2 * sequence)
    end = tl.load(span + 2 * sequence + 1)
    piece = tl.arange(0, COUNT)[None, :]
    sums = tl.zeros((4,), tl.float32)
    for place in range(t):
        inside = (place >= start) & (place < end)
        row = sequence.to(tl.int64) * t + place
        known = inside[:, None] & (piece < pieces)
        at = row[:, None] * pieces + piece
        peaks = tl.load(most + at, mask=known, other=-1e30)
        parts = tl.load(total + at, mask=known, other=0.0)
        highest = tl.max(peaks, axis=1)
        whole = tl.sum(parts * tl.exp(peaks - highest[:, None]), axis=1)
        token = tl.load(tokens + row, mask=inside, other=0)
        chosen = tl.load(logits + row * v + token, mask=inside, other=0.0).to(tl.float32)
        sums += tl.where(inside, chosen - highest - tl.log(tl.where(inside, whole, 1.0)), 0.0)
    mean = sums / (end - start)
    tl.store(score + sequence, mean)
    tl.store(pick + tl.program_id(0), tl.argmax(mean, axis=0))


def solve(
    logits: torch.Tensor,
    tokens: torch.Tensor,
    span: torch.Tensor,
    score: torch.Tensor,
    pick: torch.Tensor,
    questions: int,
    t: int,
    v: int,
) -> None:
    pieces = triton.cdiv(v, PIECE)
    rows = 4 * questions * t
    most = torch.empty(rows * pieces, dtype=torch.float32, device=logits.device)
    total = torch.empty(rows * pieces, dtype=torch.float32, device=logits.device)
    reduce_pieces[(pieces, 4 * questions, t)](logits, span, most, total, t, v, pieces, PIECE=PIECE)
    count = triton.next_power_of_2(pieces)
    choose[(questions,)](logits, tokens, span, most, total, score, pick, t, v, pieces, COUNT=count)
