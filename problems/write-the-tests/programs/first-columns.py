"""Faulty: the sum ends after 128 columns, because each of 128 threads adds one element. Only longer rows show
it.
"""


def softmax(xp, x):
    shifted = xp.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted[:, :128].sum(axis=1, keepdims=True)
