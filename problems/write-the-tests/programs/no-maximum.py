"""Faulty: does not subtract the maximum. The exponential of 89 is beyond float32, so the result is infinity
divided by infinity. Tests with small values never see it.
"""


def softmax(xp, x):
    raised = xp.exp(x)
    return raised / raised.sum(axis=1, keepdims=True)
