"""Is the residual small enough, and is the number of iterations that of the method up to rounding?"""

LARGEST = 1e30  # larger elements, NaN and infinities are wrong, and could overflow


def check(xp, inputs, expected, got, size, tolerance):
    """All elements of x are right if the residual is, and iterations if it is near that of the reference."""
    row_start, column, value, b = inputs["row_start"], inputs["column"], inputs["value"], inputs["b"]
    x = got["x"]
    usable = abs(x) <= LARGEST
    x = xp.where(usable, x, 0)
    residual = b - 0
    for place in range(int((row_start[1:] - row_start[:-1]).max())):
        at = row_start[:-1] + place
        used = at < row_start[1:]
        at = xp.where(used, at, 0)
        residual -= xp.where(used, value[at] * x[column[at]], 0)
    slack = 1 + tolerance["x"]["relative"]
    limit = slack / size["inverse_tol"] * xp.sqrt((b * b).sum())
    small = usable.all() & (xp.sqrt((residual * residual).sum()) <= limit)
    want = expected["iterations"].astype(xp.int64)
    near = 10 * abs(got["iterations"].astype(xp.int64) - want) <= 20 + want
    return {"x": xp.full(x.shape, True) & small, "iterations": near}
