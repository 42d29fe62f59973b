"""Faulty: pads rows to a multiple of 32 with zeros instead of minus infinity, and the padding enters the sum.
Multiples of 32 hide it, and so do rows with a maximum above 20.
"""


def softmax(xp, x):
    most = x.max(axis=1, keepdims=True)
    padding = xp.zeros((x.shape[0], -x.shape[1] % 32), x.dtype)
    total = xp.exp(x - most).sum(axis=1, keepdims=True) + xp.exp(xp.maximum(padding - most, -80)).sum(
        axis=1, keepdims=True
    )
    return xp.exp(x - most) / total
