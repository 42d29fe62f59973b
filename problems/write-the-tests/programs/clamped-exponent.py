"""Faulty: an approximation of the exponential that is good from -16 to 0, and clamps what is below. The sum
hardly changes, so only small results are wrong, by a large factor.
"""


def softmax(xp, x):
    shifted = xp.exp(xp.maximum(x - x.max(axis=1, keepdims=True), -16))
    return shifted / shifted.sum(axis=1, keepdims=True)
