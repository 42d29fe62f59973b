"""A step of AdamW on the average of two gradients, with a half of the state on each device.

Gradients and moments of an element have a common scale, from one millionth to one, so that eps matters for
some elements. Some elements have never had a gradient.
"""


def generate(xp, rng, size):
    n = size["n"]
    first = n - n // 2
    scale = 10.0 ** rng.uniform(-6, 0, n)
    scale = scale * (rng.random(n) >= 1 / 64)
    params = rng.standard_normal(n)
    m = 0.3 * scale * rng.standard_normal(n)
    v = scale**2 * rng.uniform(0.5, 1.5, n)
    return {
        "params0": params,
        "params1": params,
        "grads0": scale * rng.standard_normal(n),
        "grads1": scale * rng.standard_normal(n),
        "m0": m[:first],
        "v0": v[:first],
        "m1": m[first:],
        "v1": v[first:],
    }


def reference(xp, params0, params1, grads0, grads1, m0, v0, m1, v1, n, step, rate, beta1, beta2, eps, decay):
    first = n - n // 2
    mean = (grads0 + grads1) / 2
    bias1, bias2 = 1 - beta1**step, 1 - beta2**step

    def stepped(params, grads, m, v):
        m = beta1 * m + (1 - beta1) * grads
        v = beta2 * v + (1 - beta2) * grads**2
        update = (m / bias1) / (xp.sqrt(v / bias2) + eps)
        return (1 - rate * decay) * params - rate * update, m, v

    low, m0, v0 = stepped(params0[:first], mean[:first], m0, v0)
    high, m1, v1 = stepped(params1[first:], mean[first:], m1, v1)
    params = xp.concatenate([low, high])
    return {"params0": params, "params1": params, "m0": m0, "v0": v0, "m1": m1, "v1": v1}
