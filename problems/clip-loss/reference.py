"""Pairs that are more or less alike, with vectors of different lengths, which must not matter.

The factor is near 100, its usual upper limit. The first pair is so much alike that the exponential of its
logit is infinite in float32.
"""


def generate(xp, rng, size):
    b, d = size["b"], size["d"]
    common = rng.standard_normal((b, d))
    unlike = 0.1 + 3 * rng.random((b, 1))
    unlike[0] = 0.1
    img = common + unlike * rng.standard_normal((b, d))
    txt = common + unlike * rng.standard_normal((b, d))
    img *= xp.exp(0.5 * rng.standard_normal((b, 1))) / length(xp, img)
    txt *= xp.exp(0.5 * rng.standard_normal((b, 1))) / length(xp, txt)
    return {
        "img": img,
        "txt": txt,
        "t": rng.uniform(4.55, 4.6, 1),
        "dloss": rng.uniform(0.5, 2, 1) * (2 * rng.integers(0, 2, 1) - 1),
    }


def length(xp, vectors):
    return xp.sqrt((vectors * vectors).sum(axis=1, keepdims=True))


def softmax(xp, logits, axis):
    shifted = xp.exp(logits - logits.max(axis=axis, keepdims=True))
    shifted /= shifted.sum(axis=axis, keepdims=True)
    return shifted


def log_sums(xp, logits, axis):
    most = logits.max(axis=axis)
    return most + xp.log(xp.exp(logits - xp.expand_dims(most, axis)).sum(axis=axis))


def through_norm(xp, gradient, unit, norm):
    """The gradient with respect to a vector from that with respect to its unit vector."""
    return (gradient - unit * (gradient * unit).sum(axis=1, keepdims=True)) / norm


def reference(xp, img, txt, t, dloss, b, d):
    norms = [length(xp, img), length(xp, txt)]
    a, c = img / norms[0], txt / norms[1]
    logits = xp.exp(t) * (a @ c.T)
    pairs = xp.arange(b)
    loss = (0.5 * (log_sums(xp, logits, 1) + log_sums(xp, logits, 0)) - logits[pairs, pairs]).mean()
    gradient = softmax(xp, logits, 1)
    gradient += softmax(xp, logits, 0)
    gradient[pairs, pairs] -= 2
    gradient *= dloss / (2 * b)
    scaled = xp.exp(t) * gradient
    return {
        "loss": loss.reshape(1),
        "dimg": through_norm(xp, scaled @ c, a, norms[0]),
        "dtxt": through_norm(xp, scaled.T @ a, c, norms[1]),
        "dt": (gradient * logits).sum().reshape(1),
    }
