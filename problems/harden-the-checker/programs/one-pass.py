"""Right: adds one element after the other in float32."""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
