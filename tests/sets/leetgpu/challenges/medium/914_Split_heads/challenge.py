import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    name = "Split Heads"
    atol = 1e-5
    rtol = 1e-5
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, x, places, y, rows: int, width: int, heads: int, words: int):
        assert width % (2 * heads) == 0
        y.copy_(x.view(words, heads, width // heads)[places.long()].mean(dim=2))

    def get_solve_signature(self):
        return {
            "x": (ctypes.POINTER(ctypes.c_float), "in"),
            "places": (ctypes.POINTER(ctypes.c_int), "in"),
            "y": (ctypes.POINTER(ctypes.c_float), "out"),
            "rows": (ctypes.c_int, "in"),
            "width": (ctypes.c_int, "in"),
            "heads": (ctypes.c_int, "in"),
            "words": (ctypes.c_int, "in"),
        }

    def make(self, rows, width, heads, words):
        return {
            "x": torch.randn(words, width, device=self.device),
            "places": torch.randint(0, words, (rows,), device=self.device, dtype=torch.int32),
            "y": torch.empty(rows, heads, device=self.device),
            "rows": rows,
            "width": width,
            "heads": heads,
            "words": words,
        }

    def generate_example_test(self):
        return self.make(2, 4, 2, 5)

    def generate_functional_test(self):
        return [self.make(4, 12, 3, 20), self.make(40, 96, 6, 50), self.make(70, 360, 30, 600), self.make(50, 64, 1, 100)]

    def generate_performance_test(self):
        return self.make(8192, 2048, 16, 4000)
