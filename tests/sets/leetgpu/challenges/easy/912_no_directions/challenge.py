import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="No directions", atol=1e-5, rtol=1e-5, num_gpus=1, access_tier="free")

    def reference_impl(self, x, y, n):
        y.copy_(-x)

    def get_solve_signature(self):
        return {"x": ctypes.POINTER(ctypes.c_float), "y": ctypes.POINTER(ctypes.c_float), "n": ctypes.c_int}

    def make(self, n):
        return {"x": torch.randn(n, device="cuda"), "y": torch.empty(n, device="cuda"), "n": n}

    def generate_example_test(self):
        return self.make(4)

    def generate_functional_test(self):
        return [self.make(9), self.make(100)]

    def generate_performance_test(self):
        return self.make(10000000)
