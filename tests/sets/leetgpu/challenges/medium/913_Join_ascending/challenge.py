import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    name = "Join Ascending"
    atol = 0.0
    rtol = 0.0
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, M: int, N: int):
        C.copy_(torch.sort(torch.cat([A, B])).values)

    def get_solve_signature(self):
        return {
            "A": (ctypes.POINTER(ctypes.c_float), "in"),
            "B": (ctypes.POINTER(ctypes.c_float), "in"),
            "C": (ctypes.POINTER(ctypes.c_float), "out"),
            "M": (ctypes.c_int, "in"),
            "N": (ctypes.c_int, "in"),
        }

    def make(self, m, n):
        return {
            "A": torch.sort(torch.randn(m, device=self.device)).values,
            "B": torch.sort(torch.randn(n, device=self.device)).values,
            "C": torch.empty(m + n, device=self.device),
            "M": m,
            "N": n,
        }

    def generate_example_test(self):
        return self.make(2, 4)

    def generate_functional_test(self):
        return [self.make(m, n) for m, n in ((4, 10), (100, 102), (1000, 4000))]

    def generate_performance_test(self):
        return self.make(2000000, 2000000)
