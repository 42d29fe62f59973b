import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    """More than sixteen arguments, sizes and outputs together; two arrays are updated in place."""

    name = "Wide Call"
    atol = 1e-3
    rtol = 1e-4
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, x, weight, position, first, second, difference, rows, cols, kinds, gain, shift, depth):
        chosen = weight[position.long()]
        first += gain * chosen * x
        second -= chosen + shift
        difference.copy_((first - second).sum(dim=1))
        assert weight.shape == (kinds, cols) and position.shape == (rows,) and depth > 0

    def get_solve_signature(self):
        array = ctypes.POINTER(ctypes.c_float)
        return {
            "x": (array, "in"),
            "weight": (array, "in"),
            "position": (ctypes.POINTER(ctypes.c_int), "in"),
            "first": (array, "inout"),
            "second": (array, "inout"),
            "difference": (array, "out"),
            "rows": (ctypes.c_int, "in"),
            "cols": (ctypes.c_int, "in"),
            "kinds": (ctypes.c_int, "in"),
            "gain": (ctypes.c_float, "in"),
            "shift": (ctypes.c_float, "in"),
            "depth": (ctypes.c_int, "in"),
        }

    def make(self, rows, cols, kinds, gain, shift, depth):
        def drawn(*shape):
            return torch.randn(*shape, device=self.device)

        return {
            "x": drawn(rows, cols),
            "weight": drawn(kinds, cols),
            "position": torch.randint(0, kinds, (rows,), device=self.device, dtype=torch.int32),
            "first": drawn(rows, cols),
            "second": drawn(rows, cols),
            "difference": torch.empty(rows, device=self.device),
            "rows": rows,
            "cols": cols,
            "kinds": kinds,
            "gain": gain,
            "shift": shift,
            "depth": depth,
        }

    def generate_example_test(self):
        return self.make(2, 3, 2, 0.5, 0.25, 1)

    def generate_functional_test(self):
        return [self.make(1, 1, 1, 1.0, 0.0, 2), self.make(7, 5, 3, 0.5, -0.5, 3), self.make(300, 200, 4, 2.0, 0.25, 4)]

    def generate_performance_test(self):
        return self.make(4096, 2048, 16, 0.5, 0.25, 5)
