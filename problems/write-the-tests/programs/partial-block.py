"""Faulty: the sum of a row of more than 32 columns leaves out the last, partial block of 32. Short rows and
multiples of 32 hide it.
"""


def softmax(xp, x):
    shifted = xp.exp(x - x.max(axis=1, keepdims=True))
    cols = x.shape[1]
    whole = cols if cols < 32 else cols - cols % 32
    return shifted / shifted[:, :whole].sum(axis=1, keepdims=True)
