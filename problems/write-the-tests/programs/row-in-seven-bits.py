"""Faulty: keeps the number of the row in a signed byte, so row 128 reads row 0. It needs more than 128 rows,
of two columns or more, because all rows of one column give 1.
"""


def softmax(xp, x):
    read = x[xp.arange(x.shape[0]) % 128]
    shifted = xp.exp(read - read.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)
