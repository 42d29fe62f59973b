"""Faulty: rounds the sum to half precision. The error is at most 0.05 percent, so a generous tolerance hides
it.
"""


def softmax(xp, x):
    shifted = xp.exp(x - x.max(axis=1, keepdims=True))
    total = shifted.sum(axis=1, keepdims=True).astype(xp.float16).astype(xp.float32)
    return shifted / total
