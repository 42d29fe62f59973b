"""Jacobi steps on a field of normally distributed numbers, so that each neighbour matters to each result."""


def generate(xp, rng, size):
    shape = (size["nz"], size["ny"], size["nx"])
    return {"u": rng.standard_normal(shape, dtype=xp.float32)}


def reference(xp, u, nz, ny, nx, steps):
    result = u.copy()
    for _ in range(steps):
        old = result
        result = old.copy()
        inside = result[1:-1, 1:-1, 1:-1]
        inside[...] = old[:-2, 1:-1, 1:-1]
        inside += old[2:, 1:-1, 1:-1]
        inside += old[1:-1, :-2, 1:-1]
        inside += old[1:-1, 2:, 1:-1]
        inside += old[1:-1, 1:-1, :-2]
        inside += old[1:-1, 1:-1, 2:]
        inside /= 6
    return {"result": result}
