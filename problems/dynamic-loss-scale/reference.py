"""A loss scale that halves after an overflow and doubles after enough good steps, over a trace of steps."""


def generate(xp, rng, size):
    steps, n, interval = size["steps"], size["n"], size["interval"]
    # Magnitudes over many powers of two. None comes near the limit of float16, 65,504.
    power = rng.integers(-20, 14, (steps, n)).astype(xp.float32)
    scaled = rng.uniform(-1, 1, (steps, n)).astype(xp.float32)
    scaled *= xp.exp2(power, out=power)
    # A third of the steps overflow at one place, which is the last one half of the time.
    place = xp.where(rng.random(steps) < 0.5, n - 1, rng.integers(0, n, steps))
    overflow = xp.where(rng.random(steps) < 0.5, xp.inf, -xp.inf)
    row = xp.arange(steps)
    scaled[row, place] = xp.where(rng.random(steps) < 1 / 3, overflow, scaled[row, place])
    scale = xp.exp2(rng.integers(8, 17, 1).astype(xp.float64))
    streak = rng.integers(0, interval, 1)
    # The count of skipped steps has more bits than TF32 and float16, as after a long training run.
    return {"scaled": scaled, "state": xp.concatenate([scale, streak, rng.integers(5000, 60000, 1)])}


def reference(xp, scaled, state, steps, n, interval):
    good = xp.isfinite(scaled).all(axis=1)
    scale, streak, skipped = state[0], state[1], state[2]
    scales = []
    for step in range(steps):
        scales.append(scale)
        streak = xp.where(good[step], streak + 1, 0)
        grown = streak == interval
        scale = xp.where(good[step], xp.where(grown, scale * 2, scale), scale / 2)
        streak = xp.where(grown, 0, streak)
        skipped = xp.where(good[step], skipped, skipped + 1)
    return {
        "grad": scaled / xp.stack(scales)[:, None],
        "state": xp.stack([scale, streak, skipped]),
    }
