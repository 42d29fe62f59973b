"""Faulty: subtracts the maximum of the whole matrix. A row that lies far below another one becomes 0 / 0,
which needs two rows whose maxima differ by more than 104.
"""


def softmax(xp, x):
    shifted = xp.exp(x - x.max())
    return shifted / shifted.sum(axis=1, keepdims=True)
