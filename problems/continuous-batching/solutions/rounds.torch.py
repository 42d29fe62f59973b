"""All traces advance together. In each round, a trace admits one request, or goes on to its next event. What runs follows from the outputs: a request
has been admitted, and its last step is not over.

Bound by bandwidth, and by launches: every round goes over all requests of all traces about ten times, and there are up to three rounds per request.
"""

import torch

FAR = 1 << 30


def solve(
    arrive: torch.Tensor,
    prompt: torch.Tensor,
    answer: torch.Tensor,
    first: torch.Tensor,
    last: torch.Tensor,
    traces: int,
    n: int,
    places: int,
    budget: int,
    chunk: int,
    patience: int,
) -> None:
    need = prompt + answer
    until_first = (prompt + chunk - 1) // chunk - 1
    numbers = torch.arange(n, device=arrive.device)
    now = torch.zeros((traces, 1), dtype=torch.int32, device=arrive.device)
    taken = torch.zeros((traces, n), dtype=torch.bool, device=arrive.device)
    last.fill_(-1)
    while not taken.all():
        runs = taken & (last >= now)
        room = budget - (need * runs).sum(1, keepdim=True)
        head = (~taken).int().argmax(1, keepdim=True)
        passed = taken.sum(1, keepdim=True) - head
        may = (numbers == head) | (passed < patience)
        waits = ~taken & (arrive <= now) & (need <= room) & may
        waits &= runs.sum(1, keepdim=True) < places
        chosen = (numbers == waits.int().argmax(1, keepdim=True)) & waits
        taken |= chosen
        torch.where(chosen, now + until_first, first, out=first)
        torch.where(chosen, first + answer - 1, last, out=last)

        event = torch.where(runs, last + 1, torch.where(arrive > now, arrive, FAR))
        now = torch.where(chosen.any(1, keepdim=True), now, event.amin(1, keepdim=True)).int()
