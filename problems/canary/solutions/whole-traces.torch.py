"""Cumulative sums of whole traces, and the first place in each row where a border is reached.

Bound by memory, many times over: the whole of each trace is read, and each operator writes arrays that the next one reads.
"""

import torch


def ended(change, upper, lower, never):
    """The index after which each row's test ends, or `never`, and whether it ends at the upper border."""
    sums = torch.cumsum(change, 1)
    reached = (sums >= upper) | (sums <= -lower)
    at = reached.to(torch.uint8).argmax(1)
    some = reached.any(1)
    over = sums.gather(1, at[:, None])[:, 0] >= upper
    return torch.where(some, at, never), some & over


def solve(
    lat: torch.Tensor,
    ok: torch.Tensor,
    rules: torch.Tensor,
    step: torch.Tensor,
    verdict: torch.Tensor,
    traces: int,
    n: int,
    warm: int,
) -> None:
    if n == warm:
        step.fill_(n)
        verdict.zero_()
        return
    limit = torch.topk(lat[:, 0, :warm], warm // 100 + 1, 1).values[:, -1:]
    old_ok, new_ok = ok[:, 0, warm:] != 0, ok[:, 1, warm:] != 0
    zero = torch.zeros_like(rules[0])
    failure = torch.where(old_ok & ~new_ok, rules[0], torch.where(new_ok & ~old_ok, -rules[1], zero))
    latency = torch.where(lat[:, 1, warm:] > limit, rules[2], -rules[3])
    never = torch.full_like(limit[:, 0], n - warm).to(torch.int64)
    first, first_bad = ended(failure, rules[4], rules[5], never)
    second, second_bad = ended(latency, rules[4], rules[5], never)
    back = torch.minimum(torch.where(first_bad, first, never), torch.where(second_bad, second, never))
    both = torch.maximum(first, second)
    rolled = back < never
    verdict.copy_(torch.where(rolled, -1, (both < never).to(torch.int64)))
    step.copy_(torch.clamp(torch.where(rolled, back, both) + warm + 1, max=n))
