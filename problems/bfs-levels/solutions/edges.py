"""A program takes 4096 edges at each level, whatever node they belong to.

What bounds it: bandwidth. All edges are read at each level, 8 bytes for each direction, but in order and in equal shares. That is
good for a few levels, and bad for hundreds. A first kernel finds the node of each edge by binary search in `ptr`.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def prepare(level, n, source, NODES: tl.constexpr):
    node = tl.program_id(0) * NODES + tl.arange(0, NODES)
    tl.store(level + node, tl.where(node == source, 0, -1), mask=node < n)


@triton.jit
def find_owners(ptr, owner, n, edges, steps, EDGES: tl.constexpr):
    edge = tl.program_id(0) * EDGES + tl.arange(0, EDGES)
    # The owner is the last node whose neighbours begin at or before the edge.
    low = tl.zeros((EDGES,), tl.int32)
    high = tl.full((EDGES,), 0, tl.int32) + n
    for _ in range(steps):
        middle = (low + high) // 2
        before = tl.load(ptr + middle) <= edge
        searching = high - low > 1
        low = tl.where(searching & before, middle, low)
        high = tl.where(searching & (before == 0), middle, high)
    tl.store(owner + edge, low, mask=edge < edges)


@triton.jit
def expand(owner, adj, level, found, edges, depth, EDGES: tl.constexpr):
    edge = tl.program_id(0) * EDGES + tl.arange(0, EDGES)
    inside = edge < edges
    begin = tl.load(owner + edge, mask=inside, other=0)
    mine = inside & (tl.load(level + begin, mask=inside, other=-1) == depth)
    other = tl.load(adj + edge, mask=mine, other=0)
    free = mine & (tl.load(level + other, mask=mine, other=0) == -1)
    tl.store(level + other, depth + 1, mask=free)
    if tl.sum(free.to(tl.int32), axis=0) > 0:
        tl.store(found, 1)


def solve(ptr: torch.Tensor, adj: torch.Tensor, level: torch.Tensor, n: int, source: int) -> None:
    edges = adj.numel()
    grid = (triton.cdiv(edges, 4096),)
    owner = torch.empty(edges, dtype=torch.int32, device=level.device)
    found = torch.empty(1, dtype=torch.int32, device=level.device)
    prepare[(triton.cdiv(n, 1024),)](level, n, source, NODES=1024)
    find_owners[grid](ptr, owner, n, edges, n.bit_length(), EDGES=4096)
    depth, again = 0, True
    while again:
        found.fill_(0)
        expand[grid](owner, adj, level, found, edges, depth, EDGES=4096)
        again = found.item() == 1
        depth += 1
