"""Cumulative sums of 1024 requests at a time, and only of traces that have not been decided yet.

Bound by launches and by the host, which waits for the number of open traces after each chunk. It reads far less than all of the
traces if most decisions fall early.
"""

import torch


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
    limit = torch.topk(lat[:, 0, :warm], warm // 100 + 1, 1).values[:, -1:]
    verdict.zero_()
    step.fill_(n)
    upper, lower = rules[4], -rules[5]
    live = torch.arange(traces, device=lat.device)
    sums = torch.zeros((traces, 2, 1), dtype=torch.int64, device=lat.device)
    closed = torch.zeros((traces, 2), dtype=torch.bool, device=lat.device)
    zero = torch.zeros_like(rules[0])
    for begin in range(warm, n, 1024):
        end = min(begin + 1024, n)
        old_ok, new_ok = ok[live, 0, begin:end] != 0, ok[live, 1, begin:end] != 0
        change = torch.stack(
            [
                torch.where(old_ok & ~new_ok, rules[0], torch.where(new_ok & ~old_ok, -rules[1], zero)),
                torch.where(lat[live, 1, begin:end] > limit[live], rules[2], -rules[3]),
            ],
            1,
        )
        path = sums[live] + torch.cumsum(change, 2)
        reached = (path >= upper) | (path <= lower)
        at = reached.to(torch.uint8).argmax(2, keepdim=True)
        over = (path.gather(2, at)[:, :, 0] >= upper) & reached.any(2) & ~closed[live]
        under = (path.gather(2, at)[:, :, 0] <= lower) & reached.any(2) & ~closed[live]
        far = torch.full_like(at[:, :, 0], n)
        back = torch.where(over, at[:, :, 0], far).amin(1)
        latest = torch.where(closed[live], -1, torch.where(under, at[:, :, 0], far)).amax(1)
        closed[live] |= under
        done = (back < n) | (latest < n)
        rows = live[done]
        verdict[rows] = torch.where(back < n, -1, 1)[done].to(torch.int32)
        step[rows] = (begin + 1 + torch.where(back < n, back, latest))[done].to(torch.int32)
        sums[live] = path[:, :, -1:]
        live = live[~done]
        if len(live) == 0:
            break
