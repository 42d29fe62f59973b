"""The mask of the weights of the greatest magnitude; of equal ones, those that come first."""


def generate(xp, rng, size):
    n, keep = size["n"], size["keep"]
    # Fewer than `keep` weights exceed a level, and some equal it, so that the threshold is a value with ties.
    # With an even `keep` there are few ties, and the threshold is one of many values that differ in few bits.
    # With a `keep` of 1 nearly all magnitudes are equal.
    ties = 1 if keep == 1 else 0.3 if keep % 2 else 0.002
    above = 0.8 * keep / n
    level = xp.float32(1) + rng.random(1).astype(xp.float32)
    kind = rng.random(n)
    part = rng.random(n)
    w = xp.where(kind < above, level * (1 + part), level * part)
    w = xp.where((kind >= above) & (kind < above + ties), level, w)
    return {"w": xp.where(rng.random(n) < 0.5, -w, w)}


def reference(xp, w, n, keep):
    magnitude = xp.abs(w)
    threshold = xp.sort(magnitude)[n - keep]
    above = magnitude > threshold
    equal = magnitude == threshold
    places = keep - above.sum()
    return {"mask": above | (equal & (xp.cumsum(equal) <= places))}
