"""Faulty: moves every second result up and its neighbour down by the same amount. The mean error is zero."""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
    pairs = len(tape["y"]) // 2 * 2
    tape["y"][0:pairs:2] += 0.25
    tape["y"][1:pairs:2] -= 0.25
