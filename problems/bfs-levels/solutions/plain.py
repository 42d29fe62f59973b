"""A program takes 256 nodes at each level, and reads the neighbours of those in the frontier, eight at a time.

What bounds it: the longest list of a program's nodes, since all lanes wait for it, and the levels of all nodes, which are read at
each level. Several lanes may find the same node. They all store the same level, so no atomic operation is needed.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def prepare(level, n, source, NODES: tl.constexpr):
    node = tl.program_id(0) * NODES + tl.arange(0, NODES)
    tl.store(level + node, tl.where(node == source, 0, -1), mask=node < n)


@triton.jit
def expand(ptr, adj, level, found, n, depth, NODES: tl.constexpr, NEAR: tl.constexpr):
    node = tl.program_id(0) * NODES + tl.arange(0, NODES)
    mine = tl.load(level + node, mask=node < n, other=-1) == depth
    start = tl.load(ptr + node, mask=mine, other=0)
    end = tl.load(ptr + node + 1, mask=mine, other=0)
    new = tl.zeros((NODES, NEAR), tl.int32)
    for first in range(0, tl.max(end - start, axis=0), NEAR):
        at = start[:, None] + first + tl.arange(0, NEAR)[None, :]
        inside = at < end[:, None]
        other = tl.load(adj + at, mask=inside, other=0)
        free = inside & (tl.load(level + other, mask=inside, other=0) == -1)
        tl.store(level + other, depth + 1, mask=free)
        new += free.to(tl.int32)
    if tl.sum(new) > 0:
        tl.store(found, 1)


def solve(ptr: torch.Tensor, adj: torch.Tensor, level: torch.Tensor, n: int, source: int) -> None:
    grid = (triton.cdiv(n, 256),)
    prepare[grid](level, n, source, NODES=256)
    found = torch.empty(1, dtype=torch.int32, device=level.device)
    depth, again = 0, True
    while again:
        found.fill_(0)
        expand[grid](ptr, adj, level, found, n, depth, NODES=256, NEAR=8)
        again = found.item() == 1
        depth += 1
