"""Right: one pass, which rescales the sum whenever a larger element comes."""


def softmax(xp, x):
    most, total = x[:, 0].copy(), xp.ones_like(x[:, 0])
    for column in range(1, x.shape[1]):
        new = xp.maximum(most, x[:, column])
        total = total * xp.exp(most - new) + xp.exp(x[:, column] - new)
        most = new
    return xp.exp(x - most[:, None]) / total[:, None]
