"""All traces advance together, one decision in each round. A table has the departure and the memory of each place, so that running requests need not be
looked up among all. The host asks only every 16 rounds whether all traces are finished, so it rarely waits for the device.

Bound by launches and bandwidth: the waiting requests are still examined in full, in each round.
"""

import torch

FAR = 1 << 30  # no event comes later
GONE = FAR + 1


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
    like = {"dtype": torch.int32, "device": arrive.device}
    need = prompt + answer
    reading = (prompt + chunk - 1) // chunk
    numbers = torch.arange(n, **like)
    now = torch.zeros((traces, 1), **like)
    admitted = torch.zeros((traces, 1), **like)
    waiting_since = arrive.clone()  # GONE once admitted
    ends = torch.full((traces, places), -1, **like)
    held = torch.zeros((traces, places), **like)
    while int(admitted.min()) < n:
        for _ in range(16):
            free = ends < now
            held.masked_fill_(free, 0)
            room = budget - held.sum(1, keepdim=True)
            head = (waiting_since < FAR).int().argmax(1, keepdim=True)
            may = (numbers == head) | (admitted - head < patience)
            waits = (waiting_since <= now) & (need <= room) & may & free.any(1, keepdim=True)
            chosen = waits.int().argmax(1, keepdim=True)
            takes = waits.gather(1, chosen)

            begins = now + reading.gather(1, chosen) - 1
            finishes = begins + answer.gather(1, chosen) - 1
            first.scatter_(1, chosen, torch.where(takes, begins, first.gather(1, chosen)))
            last.scatter_(1, chosen, torch.where(takes, finishes, last.gather(1, chosen)))
            event = torch.where(waiting_since > now, waiting_since, FAR).amin(1, keepdim=True)
            event = torch.minimum(event, torch.where(free, FAR, ends + 1).amin(1, keepdim=True))

            waiting_since.scatter_(1, chosen, torch.where(takes, GONE, waiting_since.gather(1, chosen)))
            place = free.int().argmax(1, keepdim=True)
            ends.scatter_(1, place, torch.where(takes, finishes, ends.gather(1, place)))
            held.scatter_(1, place, torch.where(takes, need.gather(1, chosen), held.gather(1, place)))
            admitted += takes
            now = torch.where(takes, now, event).int()
