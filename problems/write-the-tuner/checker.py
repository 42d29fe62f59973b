"""The chosen configurations may be slower than the best ones by 18 % on average, which is the score."""

RULES = {"slow": "The chosen configurations are on average more than 18 % slower than the best ones."}
MOST = 18.0  # percent; good searches reach 5 to 7, with a deviation of 2.5 over 30 tables


def check(xp, inputs, expected, got, size, tolerance):  # noqa: ARG001  # integers have no tolerance
    """Which tables have a possible answer, and whether the answers are too slow on average."""
    mean = inputs["time"].mean(axis=2)
    best = got["best"].astype(xp.int64)
    possible = (best >= 0) & (best < size["levels"] ** 4)
    rows = xp.arange(size["tables"])
    chosen = mean[rows, xp.where(possible, best, 0)]
    regret = 100 * float((chosen / mean.min(axis=1) - 1).mean())
    broken = "slow" if regret > MOST else None
    return {"best": possible}, regret, broken
