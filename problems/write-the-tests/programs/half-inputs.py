"""Faulty: rounds the inputs to half precision. Whole numbers up to 2048 are exact there, so tests of whole
numbers hide it.
"""


def softmax(xp, x):
    rounded = x.clip(-60000, 60000).astype(xp.float16).astype(xp.float32)
    shifted = xp.exp(rounded - rounded.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)
