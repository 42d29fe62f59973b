"""Conjugate gradients on the equations of a diffusion problem on a plane with random conductivities.

Points lie in rows of `width`. A point may be connected to the next one in its row, to the one below, and to
the one to the right of that. The matrix has the negative conductivities off the diagonal, and on it their
sum and a little more, which makes it positive definite with a condition number below 110. Conductivities
are multiples of 2^-20, so their sums are exact in any order.
"""

MOST = 200  # iterations; in half precision the method may never end
UNIT = 1 << 20


def generate(xp, rng, size):
    n, width, edges = size["n"], size["width"], (size["nnz"] - size["n"]) // 2
    point = xp.arange(n)
    inside = (point + 1) % width != 0  # has a neighbour to the right
    right = point[inside & (point + 1 < n)]
    below = point[point + width < n]
    across = point[inside & (point + width + 1 < n)]
    first = xp.concatenate([right, below, across])
    second = xp.concatenate([right + 1, below + width, across + width + 1])
    chosen = xp.argsort(rng.random(first.size))[:edges]
    first, second = first[chosen], second[chosen]
    weight = rng.integers(UNIT // 2, UNIT + UNIT // 2, edges) / UNIT
    diagonal = rng.integers(UNIT // 6, UNIT // 4, n) / UNIT
    diagonal += xp.bincount(first, weights=weight, minlength=n)
    diagonal += xp.bincount(second, weights=weight, minlength=n)
    row = xp.concatenate([point, first, second])
    column = xp.concatenate([point, second, first])
    value = xp.concatenate([diagonal, -weight, -weight])
    order = xp.argsort(row * n + column)
    row_start = xp.zeros(n + 1, dtype=xp.int32)
    row_start[1:] = xp.cumsum(xp.bincount(row, minlength=n))
    b = rng.standard_normal(n) * ((size["scale"] - 1) / 1024)
    return {"row_start": row_start, "column": column[order], "value": value[order], "b": b}


def reference(xp, row_start, column, value, b, n, nnz, tol):
    longest = int((row_start[1:] - row_start[:-1]).max())
    x = xp.zeros(n)
    r = b + x
    p = b + x
    square = (r * r).sum()
    limit = square * tol * tol
    iterations = 0
    while iterations < MOST and square > limit:
        q = xp.zeros(n)
        for place in range(longest):
            at = row_start[:-1] + place
            used = at < row_start[1:]
            at = xp.where(used, at, 0)
            q += xp.where(used, value[at] * p[column[at]], 0)
        alpha = square / (p * q).sum()
        x += alpha * p
        r -= alpha * q
        before, square = square, (r * r).sum()
        p = r + p * (square / before)
        iterations += 1
    return {"x": x, "iterations": xp.full(1, iterations, dtype=xp.int32)}
