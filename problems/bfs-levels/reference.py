"""Undirected graphs with hubs, of a depth that the sizes choose, and an eighth of the nodes out of reach.

Nodes have a position and a random number. Each node but the first is connected to one up to `reach` positions
before it, so all of them can be reached, in at least n / reach levels. The last eighth of the positions is
connected in itself only. Further edges join positions less than `reach` apart, and most of them begin at
low positions, whose nodes get many neighbours. There are loops and double edges.
"""


def generate(xp, rng, size):
    n, edges, reach = size["n"], size["edges"], size["reach"]
    inside = n - n // 8
    child = xp.arange(1, inside)
    parent = child - 1 - (rng.random(inside - 1) * xp.minimum(child, reach)).astype(child.dtype)
    more = edges - child.size
    first = (n * rng.random(more) ** 2).astype(child.dtype)
    offset = rng.integers(0, reach, more)
    second = xp.where(first + offset < n, first + offset, abs(first - offset))
    second = xp.where((first < inside) == (second < inside), second, first)
    number = xp.argsort(rng.random(n))
    # The first position gets the number of the source.
    source = n // 3
    number = xp.where(number == source, number[0], number)
    number[0] = source
    begin = number[xp.concatenate([child, first, parent, second])]
    end = number[xp.concatenate([parent, second, child, first])]
    ptr = xp.zeros(n + 1, dtype=child.dtype)
    ptr[1:] = xp.cumsum(xp.bincount(begin, minlength=n))
    return {"ptr": ptr, "adj": end[xp.argsort(begin)]}


def reference(xp, ptr, adj, n, source):
    level = xp.full(n, -1, dtype=xp.int32)
    level[source] = 0
    frontier = xp.nonzero(level == 0)[0]
    depth = 0
    while frontier.size:
        # All neighbours of the frontier, one after the other: neighbour k belongs to the first node whose
        # neighbours end after k.
        start = ptr[frontier]
        count = ptr[frontier + 1] - start
        end = xp.cumsum(count)
        at = xp.arange(int(end[-1]))
        owner = xp.searchsorted(end, at, side="right")
        near = adj[at - (end - count)[owner] + start[owner]]
        depth += 1
        level[near[level[near] < 0]] = depth
        frontier = xp.nonzero(level == depth)[0]
    return {"level": level}
