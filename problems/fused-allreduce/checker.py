"""Averages may be off by the roundings to float16, and must be the same on both devices.

Elements in gaps must be unchanged.
"""


def check(xp, inputs, expected, got, size, tolerance):
    """Which elements of both arrays are right."""
    starts, offsets = inputs["starts"], inputs["offsets"]
    element = xp.arange(size["count"])
    tensor = xp.searchsorted(offsets, element, side="right") - 1
    place = starts[tensor] + element - offsets[tensor]
    average_size = (abs(inputs["grads0"][place]) + abs(inputs["grads1"][place])) / 2
    same = got["grads0"][place] == got["grads1"][place]
    right = {}
    for name in ("grads0", "grads1"):
        allowed = tolerance[name]["absolute"] + tolerance[name]["relative"] * average_size
        right[name] = got[name] == inputs[name]
        right[name][place] = same & (abs(got[name][place] - expected[name][place]) <= allowed)
    return right
