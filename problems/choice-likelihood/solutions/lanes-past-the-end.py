"""Wrong: lanes past the end of the vocabulary load 0, which is a logit like any other. Where all logits are near -110, these lanes
have the whole probability. Vocabularies that fill all blocks have no such lanes.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def score_tokens(logits, tokens, span, likely, t, v, BLOCK: tl.constexpr):
    sequence = tl.program_id(1)
    place = tl.load(span + 2 * sequence) + tl.program_id(0)
    if place >= tl.load(span + 2 * sequence + 1):
        return
    row = (sequence * t + place).to(tl.int64)
    most = -float("inf")
    total = 0.0
    for first in range(0, v, BLOCK):
        at = first + tl.arange(0, BLOCK)
        z = tl.load(logits + row * v + at, mask=at < v, other=0.0).to(tl.float32)
        highest = tl.maximum(most, tl.max(z, axis=0))
        total = total * tl.exp(most - highest) + tl.sum(tl.exp(z - highest), axis=0)
        most = highest
    chosen = tl.load(logits + row * v + tl.load(tokens + row)).to(tl.float32)
    tl.store(likely + row, chosen - most - tl.log(total))


@triton.jit
def choose(likely, span, score, pick, t, PLACES: tl.constexpr):
    choice = tl.arange(0, 4)
    sequence = tl.program_id(0) * 4 + choice
    start = tl.load(span + 2 * sequence)
    end = tl.load(span + 2 * sequence + 1)
    place = tl.arange(0, PLACES)[None, :]
    inside = (place >= start[:, None]) & (place < end[:, None])
    values = tl.load(likely + sequence[:, None] * t + place, mask=inside, other=0.0)
    mean = tl.sum(values, axis=1) / (end - start)
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
    likely = torch.empty(4 * questions * t, dtype=torch.float32, device=logits.device)
    score_tokens[(t, 4 * questions)](logits, tokens, span, likely, t, v, BLOCK=1024)
    choose[(questions,)](likely, span, score, pick, t, PLACES=triton.next_power_of_2(t))
