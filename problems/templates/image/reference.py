"""Mirror an image."""


def generate(xp, rng, size):
    return {"image": rng.integers(0, 256, (size["height"], size["width"], 3))}


def reference(xp, image, height, width):
    return {"mirrored": image[:, ::-1, :]}
