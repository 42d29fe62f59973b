"""Records what a judge sees of some calls of a program. `call` of the program changes what it is given."""

US_PER_ELEMENT = 0.01


def generate(xp, rng, size, program):
    calls, n = size["calls"], size["n"]
    x = rng.uniform(0.0, 2.0, (calls, n)).astype(xp.float32)
    y_before = rng.normal(0.0, float(n), (calls, n)).astype(xp.float32)
    guard_before = rng.integers(1, 2**31 - 1, (calls, 2, 8)).astype(xp.int32)
    longer = 1.1 + rng.random(calls)
    tapes = []
    for number in range(calls):
        tape = {
            "number": number,
            "calls": calls,
            "x": x[number].copy(),
            "y": y_before[number].copy(),
            "later": None,  # what the output becomes after the call
            "guard": guard_before[number].copy(),
            "least_us": US_PER_ELEMENT * n,
            "us": longer[number] * US_PER_ELEMENT * n,
            "earlier": list(tapes),
        }
        program.call(xp, tape)
        tapes.append(tape)
    return {
        "x": x,
        "y_before": y_before,
        "y": xp.stack([tape["y"] for tape in tapes]),
        "y_later": xp.stack([tape["y"] if tape["later"] is None else tape["later"] for tape in tapes]),
        "x_after": xp.stack([tape["x"] for tape in tapes]),
        "guard_before": guard_before,
        "guard_after": xp.stack([tape["guard"] for tape in tapes]),
        "us": xp.stack([xp.asarray(tape["us"]) for tape in tapes]),
    }


def reference(xp, x, y_before, y, y_later, x_after, guard_before, guard_after, us, least_us):
    return {"accept": xp.ones(1, xp.int32)}
