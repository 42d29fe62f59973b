"""Faulty: adds 1 for the maximum, and the exponentials of all smaller elements. A maximum that occurs twice
counts once.
"""


def softmax(xp, x):
    most = x.max(axis=1, keepdims=True)
    shifted = xp.exp(x - most)
    total = 1 + (shifted * (x < most)).sum(axis=1, keepdims=True)
    return shifted / total
