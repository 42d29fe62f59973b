"""Faulty: divides all rows by the sum of the first one. A single row hides it, and so do rows with equal
contents.
"""


def softmax(xp, x):
    shifted = xp.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted[:1].sum(axis=1, keepdims=True)
