"""Particles with positions in a box of 64, velocities of deviation 8, and a charge and a mass each.

No two fields of a particle are alike, so a field at the wrong place is wrong by far more than rounding.
"""


def generate(xp, rng, size):
    n = size["n"]
    particles = xp.empty((n, 8), dtype=xp.float32)
    particles[:, 0:3] = 64 * rng.random((n, 3), dtype=xp.float32)
    particles[:, 3] = rng.standard_normal(n, dtype=xp.float32)
    particles[:, 4:7] = 8 * rng.standard_normal((n, 3), dtype=xp.float32)
    particles[:, 7] = 100 + rng.random(n, dtype=xp.float32)
    return {"particles": particles}


def reference(xp, particles, n, dt):
    fields = particles.T.copy()  # row after row
    fields[0:3] += dt * fields[4:7]
    return {"fields": fields}
