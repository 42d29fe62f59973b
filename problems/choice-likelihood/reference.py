"""Logits with a large common part at each position, and answers of different lengths.

In a third of the rows, one logit is far above the others, so a maximum that misses it makes exponentials
overflow. The tokens of one choice of each question are more likely than those of the others, so that the best
mean is clear. Lengths differ, so the best sum is often another one.
"""


def generate(xp, rng, size):
    questions, t, v = size["questions"], size["t"], size["v"]
    b = 4 * questions
    row, place = xp.arange(b)[:, None], xp.arange(t)[None, :]
    logits = 2 * rng.standard_normal((b, t, v), dtype=xp.float32)
    shift = 110 * rng.integers(-1, 2, (b, t))
    logits += shift.astype(xp.float32)[:, :, None]
    high = (shift <= 0) & (rng.integers(0, 2, (b, t)) == 1)
    logits[row, place, rng.integers(0, v, (b, t))] += 95 * high.astype(xp.float32)

    tokens = rng.integers(0, v, (b, t))
    if v > 1:  # give each token the probability exp(-loss), whatever the other logits are
        best = rng.integers(0, 4, (questions, 1)) == xp.arange(4)[None, :]
        loss = xp.where(best.reshape(b), 2.0, rng.uniform(2.7, 3.5, b))[:, None]
        loss = loss + rng.uniform(-0.2, 0.2, (b, t))
        logits[row, place, tokens] = -xp.inf
        most = logits.max(axis=2)
        powers = logits - most[:, :, None]
        others = most + xp.log(xp.exp(powers, out=powers).sum(axis=2))
        logits[row, place, tokens] = (others - xp.log(xp.exp(loss) - 1)).astype(xp.float32)

    least = (t + 1) // 2
    length = rng.integers(least, t + 1, b)
    length[0] = least
    start = rng.integers(0, t, b) % (t - length + 1)
    start[0] = t - least
    span = xp.stack([start, start + length], axis=1)
    return {
        "logits": logits.astype(xp.float16),
        "tokens": tokens.astype(xp.int32),
        "span": span.astype(xp.int32),
    }


def reference(xp, logits, tokens, span, questions, t, v):
    b = 4 * questions
    row, place = xp.arange(b)[:, None], xp.arange(t)[None, :]
    most = logits.max(axis=2)
    powers = logits - most[:, :, None]
    chosen = powers[row, place, tokens]
    xp.exp(powers, out=powers)
    loss = chosen - xp.log(powers.sum(axis=2))
    inside = (place >= span[:, :1]) & (place < span[:, 1:])
    score = xp.where(inside, loss, 0 * loss).sum(axis=1) / (span[:, 1] - span[:, 0])
    return {"score": score, "pick": xp.argmax(score.reshape(questions, 4), axis=1).astype(xp.int32)}
