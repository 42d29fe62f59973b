"""Reversed segments of normally distributed numbers. The last segment may be shorter."""


def generate(xp, rng, size):
    return {"x": rng.standard_normal(size["n"], dtype=xp.float32)}


def reference(xp, x, n, segment):
    whole = n // segment * segment
    reversed_segments = x[:whole].reshape(-1, segment)[:, ::-1].ravel()
    return {"y": xp.concatenate([reversed_segments, x[whole:][::-1]])}
