"""Faulty: one pass that forgets to rescale the sum when a larger element comes. Rows that begin with their
maximum hide it.
"""


def softmax(xp, x):
    most, total = x[:, 0].copy(), xp.ones_like(x[:, 0])
    for column in range(1, x.shape[1]):
        most = xp.maximum(most, x[:, column])
        total = total + xp.exp(x[:, column] - most)
    return xp.exp(x - most[:, None]) / total[:, None]
