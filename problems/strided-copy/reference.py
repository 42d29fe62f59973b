"""A buffer of random numbers, and a view of it with any shape, strides and offset.

Elements of the buffer that are not in the view have the same distribution, so a wrong offset shows.
"""


def generate(xp, rng, size):
    elements = size["first"]
    for axis in "0123":
        elements += (size["d" + axis] - 1) * (size["t" + axis] - 1)
    return {"x": rng.standard_normal(elements, dtype=xp.float32)}


def reference(xp, x, d0, d1, d2, d3, s0, s1, s2, s3, offset):
    step = x.itemsize
    strides = (s0 * step, s1 * step, s2 * step, s3 * step)
    return {"y": xp.lib.stride_tricks.as_strided(x[offset:], (d0, d1, d2, d3), strides).copy()}
