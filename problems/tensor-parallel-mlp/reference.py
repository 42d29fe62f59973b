"""Two layers whose weights are on two devices. Both devices have the same input and get the same output.

The weights are scaled so that hidden activations and outputs have a deviation of about 1 for all sizes.
"""


def generate(xp, rng, size):
    m, k, left, right, n = (size[name] for name in ("m", "k", "left", "right", "n"))
    x = rng.standard_normal((m, k))
    w1 = rng.standard_normal((k, left + right)) * k**-0.5
    w2 = rng.standard_normal((left + right, n)) * (2 / (left + right)) ** 0.5
    return {
        "x0": x,
        "x1": x.copy(),
        "w1_left": w1[:, :left],
        "w1_right": w1[:, left:],
        "w2_upper": w2[:left],
        "w2_lower": w2[left:],
    }


def reference(xp, x0, w1_left, w2_upper, x1, w1_right, w2_lower, m, k, left, right, n):
    y = xp.maximum(x0 @ w1_left, 0) @ w2_upper
    y += xp.maximum(x1 @ w1_right, 0) @ w2_lower
    return {"y0": y, "y1": y.copy()}
