"""The two greatest magnitudes of every four weights in order of position, and the positions in four bits."""


def generate(xp, rng, size):
    shape = (size["rows"], 2 * size["octets"], 4)
    w = rng.standard_normal(shape, dtype=xp.float32)
    # Half of the groups hold multiples of 1/2, many of them equal or zero; the others differ in few bits.
    coarse = rng.random((size["rows"], 2 * size["octets"], 1)) < 0.5
    w = xp.where(coarse, xp.round(2 * w) / 2, w)
    return {"w": w.reshape(size["rows"], 8 * size["octets"])}


def reference(xp, w, rows, cols):
    group = w.reshape(rows, cols // 4, 4)
    magnitude = xp.abs(group)
    position = xp.argmax(magnitude, axis=2)  # the first of equal ones
    rest = xp.where(xp.arange(4) == position[:, :, None], -1.0, magnitude)
    other = xp.argmax(rest, axis=2)
    first = xp.minimum(position, other)[:, :, None]
    second = xp.maximum(position, other)[:, :, None]
    values = xp.concatenate([xp.take_along_axis(group, at, axis=2) for at in (first, second)], axis=2)
    nibble = (first + 4 * second).reshape(rows, cols // 8, 2)
    return {
        "v": values.reshape(rows, cols // 2),
        "meta": nibble[:, :, 0] + 16 * nibble[:, :, 1],
    }
