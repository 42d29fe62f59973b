"""Right: adds the exponentials one after the other, from the last column."""


def softmax(xp, x):
    shifted = xp.exp(x - x.max(axis=1, keepdims=True))
    total = xp.zeros_like(x[:, 0])
    for column in range(x.shape[1] - 1, -1, -1):
        total = total + shifted[:, column]
    return shifted / total[:, None]
