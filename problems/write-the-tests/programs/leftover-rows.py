"""Faulty: works on four rows at a time, and leaves the rest unwritten. Matrices of fewer than four rows take
another path, so it needs five rows or more that are not a multiple of four.
"""


def softmax(xp, x):
    shifted = xp.exp(x - x.max(axis=1, keepdims=True))
    out = shifted / shifted.sum(axis=1, keepdims=True)
    if x.shape[0] > 4 and x.shape[0] % 4:
        out[x.shape[0] - x.shape[0] % 4 :] = 0
    return out
