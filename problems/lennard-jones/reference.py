"""Forces of a Lennard-Jones fluid in a periodic box, by cells that hold one particle or a few.

Particles lie on sites of a lattice with a distance of 1.25, each moved by up to 7/32 in each direction, so no
two are closer than 1.03. The occupied sites follow each other, in a box that may be larger: a slab with a
surface. All positions are multiples of 1/32, so differences are exact in float32, and squares of distances
are multiples of 1/1024. The square of the cutoff lies half-way between two of them, so rounding cannot
decide about a pair.
"""

SPACING = 1.25


def generate(xp, rng, size):
    n, side = size["n"], size["side"]
    sites = side**3
    chosen = xp.argsort(rng.random(min(sites, n + n // 8 + 1)))[:n]
    site = (chosen + rng.integers(0, sites, 1)) % sites
    corner = xp.stack([site % side, site // side % side, site // (side * side)], axis=1)
    return {"pos": SPACING * corner + rng.integers(0, 8, (n, 3)) / 32}


def reference(xp, pos, n, box, cutoff):
    cells = max(1, int(box / SPACING))
    width = box / cells
    reach = int(cutoff / width) + 1
    place = xp.floor(pos / width).astype(xp.int64) % cells
    cell = (place[:, 2] * cells + place[:, 1]) * cells + place[:, 0]
    order = xp.argsort(cell)
    count = xp.bincount(cell, minlength=cells**3)
    start = xp.cumsum(count) - count
    number = xp.arange(n)
    force = xp.zeros((n, 3))
    for x, y, z in _steps(reach, cells, cutoff / width):
        near = (place[:, 2] + z) % cells * cells + (place[:, 1] + y) % cells
        near = near * cells + (place[:, 0] + x) % cells
        for rank in range(int(count.max())):
            found = count[near] > rank
            other = order[xp.where(found, start[near] + rank, 0)]
            gap = pos - pos[other]
            gap -= box * xp.rint(gap / box)
            square = (gap * gap).sum(axis=1)
            found &= (other != number) & (square < cutoff * cutoff)
            inverse = 1 / xp.where(found, square, 1)
            sixth = inverse * inverse * inverse
            push = 24 * inverse * sixth * (2 * sixth - 1) * found
            force += push[:, None] * gap
    return {"f": force}


def _steps(reach, cells, cutoff):
    """Steps to all cells within the cutoff, which is in widths of a cell, each cell once."""
    if 2 * reach + 1 >= cells:
        line = range(cells)
        return [(x, y, z) for x in line for y in line for z in line]
    line = range(-reach, reach + 1)
    least = {step: max(abs(step) - 1, 0) ** 2 for step in line}
    near = cutoff * cutoff + 1e-3
    return [(x, y, z) for x in line for y in line for z in line if least[x] + least[y] + least[z] <= near]
