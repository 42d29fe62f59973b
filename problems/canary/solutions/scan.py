"""A program for each trace. It scans 128 requests at a time with tl.cumsum, and stops at the decision.

Bound by memory: 6 bytes per tested request. A longer block needs fewer steps, and reads more requests after the decision.
"""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n", "warm"])
def decide(lat, ok, rules, step, verdict, n, warm, WARM: tl.constexpr, BLOCK: tl.constexpr):
    trace = tl.program_id(0)
    start = trace.to(tl.int64) * 2 * n
    # The greatest latencies of the warm-up are removed one after the other.
    place = tl.arange(0, WARM)
    seen = tl.load(lat + start + place, mask=place < warm, other=-1.0)
    limit = tl.max(seen, axis=0)
    for _ in range(0, warm // 100):
        first = tl.min(tl.where(seen == limit, place, WARM), axis=0)
        seen = tl.where(place == first, -1.0, seen)
        limit = tl.max(seen, axis=0)

    worse, better = tl.load(rules), tl.load(rules + 1)
    slower, faster = tl.load(rules + 2), tl.load(rules + 3)
    upper, lower = tl.load(rules + 4), -tl.load(rules + 5)
    failures = 0
    slow = 0
    failures_end = n
    slow_end = n
    back = n
    begin = warm
    while begin < n:
        at = begin + tl.arange(0, BLOCK)
        inside = at < n
        old_ok = tl.load(ok + start + at, mask=inside, other=1) != 0
        new_ok = tl.load(ok + start + n + at, mask=inside, other=1) != 0
        late = tl.load(lat + start + n + at, mask=inside, other=0.0) > limit
        change = tl.where(old_ok & (new_ok == 0), worse, tl.where(new_ok & (old_ok == 0), -better, 0))
        failures_now = failures + tl.cumsum(change, axis=0)
        change = tl.where(late, slower, -faster)
        slow_now = slow + tl.cumsum(tl.where(inside, change, 0), axis=0)

        open_ = inside & (failures_end == n)
        ended = tl.min(tl.where(open_ & ((failures_now >= upper) | (failures_now <= lower)), at, n), axis=0)
        over = tl.min(tl.where(open_ & (failures_now >= upper), at, n), axis=0)
        back = tl.where(over == ended, tl.minimum(back, over), back)
        failures_end = tl.minimum(failures_end, ended)

        open_ = inside & (slow_end == n)
        ended = tl.min(tl.where(open_ & ((slow_now >= upper) | (slow_now <= lower)), at, n), axis=0)
        over = tl.min(tl.where(open_ & (slow_now >= upper), at, n), axis=0)
        back = tl.where(over == ended, tl.minimum(back, over), back)
        slow_end = tl.minimum(slow_end, ended)

        both = tl.maximum(failures_end, slow_end)
        failures = tl.sum(tl.where(at == begin + BLOCK - 1, failures_now, 0), axis=0)
        slow = tl.sum(tl.where(at == begin + BLOCK - 1, slow_now, 0), axis=0)
        begin = tl.where((back < n) | (both < n), n, begin + BLOCK)
    both = tl.maximum(failures_end, slow_end)
    tl.store(verdict + trace, tl.where(back < n, -1, tl.where(both < n, 1, 0)))
    tl.store(step + trace, tl.minimum(tl.where(back < n, back, both) + 1, n))


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
    padded = triton.next_power_of_2(max(warm, 2))
    decide[(traces,)](lat, ok, rules, step, verdict, n, warm, WARM=padded, BLOCK=128)
