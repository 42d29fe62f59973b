"""Faulty: takes the last element for the maximum, as if rows were sorted. The result is right as long as no
difference exceeds 88, so it needs a large element before the last one.
"""


def softmax(xp, x):
    shifted = xp.exp(x - x[:, -1:])
    return shifted / shifted.sum(axis=1, keepdims=True)
