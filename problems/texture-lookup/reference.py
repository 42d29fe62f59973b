"""A polynomial of image elements at given places. Places beyond the edges mean the nearest element.

Fractions are odd eighths, so that no place lies on the border of two elements, whatever a GPU rounds.
"""


def generate(xp, rng, size):
    h, w, n = size["h"], size["w"], size["n"]
    u = xp.floor(rng.uniform(-8, 4 * w + 8, n)) / 4 + 0.125
    v = xp.floor(rng.uniform(-8, 4 * h + 8, n)) / 4 + 0.125
    return {
        "img": rng.uniform(-1, 1, (h, w)),
        "at": xp.stack([u, v], axis=1),
        "coef": rng.uniform(-1, 1, 8),
    }


def reference(xp, img, at, coef, h, w, n):
    column = xp.clip(xp.floor(at[:, 0]).astype(xp.int64), 0, w - 1)
    row = xp.clip(xp.floor(at[:, 1]).astype(xp.int64), 0, h - 1)
    texel = img[row, column]
    out = xp.zeros(texel.shape)
    for k in range(7, -1, -1):
        out = out * texel + coef[k]
    return {"out": out}
