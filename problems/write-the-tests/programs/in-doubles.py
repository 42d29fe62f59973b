"""Right: computes in double precision, and rounds at the end."""


def softmax(xp, x):
    wide = x.astype(xp.float64)
    shifted = xp.exp(wide - wide.max(axis=1, keepdims=True))
    return (shifted / shifted.sum(axis=1, keepdims=True)).astype(xp.float32)
