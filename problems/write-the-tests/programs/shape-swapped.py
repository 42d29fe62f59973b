"""Faulty: takes rows for columns and columns for rows. Square matrices hide it."""


def softmax(xp, x):
    swapped = x.reshape(x.shape[1], x.shape[0])
    shifted = xp.exp(swapped - swapped.max(axis=1, keepdims=True))
    return (shifted / shifted.sum(axis=1, keepdims=True)).reshape(x.shape)
