"""The third scale may be any candidate whose error is the least, up to the rounding of sums."""

CANDIDATES = 32
SLACK = 1e-3  # of the least error; float32 sums in any order are off by less than 1e-4
TINY = 1e-9  # of the sum of squares: with a few elements the least error can be 0


def squared_error(xp, x, scale):
    """The sum of the squared errors of int8 codes with this scale, an array of one element."""
    code = xp.clip(xp.rint(x / scale), -127, 127)
    return ((code * scale - x) ** 2).sum()


def check(xp, inputs, expected, got, size, tolerance):
    """Which of the three scales are right."""
    x, want, scale = inputs["x"], expected["scale"], got["scale"]
    near = abs(scale - want) <= tolerance["scale"]["relative"] * abs(want)
    # Which candidate is it? NaN, infinities and everything off the grid are none.
    place = scale[2] / want[0] * CANDIDATES
    usable = xp.isfinite(place) & (place > 0.5) & (place < CANDIDATES + 0.5)
    number = xp.rint(xp.where(usable, place, 1.0))
    on_grid = usable & (abs(place - number) <= 4 * tolerance["scale"]["relative"] * number)
    least = squared_error(xp, x, want[2]) / size["n"]
    found = squared_error(xp, x, want[0] * number / CANDIDATES) / size["n"]
    good = on_grid & (found <= (1 + SLACK) * least + TINY * (x * x).mean())
    return {"scale": xp.stack([near[0], near[1], good])}
