"""Right: subtracts the logarithm of the sum instead of dividing by the sum. The smaller a result is, the larger is its
relative error, up to about 0.000005 for results of 1e-30. This is honest rounding.
"""


def softmax(xp, x):
    most = x.max(axis=1, keepdims=True)
    total = xp.exp(x - most).sum(axis=1, keepdims=True)
    return xp.exp(x - most - xp.log(total))
