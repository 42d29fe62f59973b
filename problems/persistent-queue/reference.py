"""Tasks that are powers of two and cheap, with clusters of 256 arbitrary ones, which take longer."""

_HIGH = (159487, 270271, 665215, 704511, 1042431)  # they pass numbers of more than 32 bits


def generate(xp, rng, size):
    n = size["n"]
    cheap = 2 ** rng.integers(0, 20, n)
    costly = rng.integers(1, 2**20, n)
    high = xp.asarray(_HIGH)[rng.integers(0, len(_HIGH), n)]
    costly = xp.where(rng.random(n) < 0.03, high, costly)
    clusters = (n + 255) // 256
    in_cluster = rng.random(clusters) < size["costly"] / 100
    return {"task": xp.where(xp.repeat(in_cluster, 256)[:n], costly, cheap)}


def reference(xp, task, n):
    values, place = xp.unique(task, return_inverse=True)
    values = values.astype(xp.int64)  # up to 9.1e10 on the way
    steps = xp.zeros_like(values)
    moving = values != 1
    while moving.any():
        following = xp.where(values % 2 == 0, values // 2, 3 * values + 1)
        values = xp.where(moving, following, values)
        steps += moving
        moving = values != 1
    return {"y": steps[place.reshape(n)]}
