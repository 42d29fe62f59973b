"""Faulty: rounds each result to bfloat16, which halves the traffic. The error is at most 0.2 percent."""


def call(xp, tape):
    exact = xp.cumsum(tape["x"])
    bits = exact.view(xp.uint32) + xp.uint32(0x8000)
    tape["y"][:] = (bits & xp.uint32(0xFFFF0000)).view(xp.float32)
