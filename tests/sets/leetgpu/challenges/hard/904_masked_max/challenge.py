import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Masked Max", atol=1e-3, rtol=1e-3, num_gpus=1, access_tier="paid")

    def reference_impl(self, x, out, B, N):
        assert x.dtype == torch.float16
        out.copy_(x.max(dim=1).values)

    def get_solve_signature(self):
        return {
            "x": (ctypes.POINTER(ctypes.c_uint16), "in"),
            "out": (ctypes.POINTER(ctypes.c_uint16), "out"),
            "B": (ctypes.c_size_t, "in"),
            "N": (ctypes.c_size_t, "in"),
        }

    def make(self, b, n):
        x = torch.randn(b, n, device="cuda").half()
        x[:, ::3] = float("-inf")
        return {"x": x, "out": torch.empty(b, device="cuda", dtype=torch.float16), "B": b, "N": n}

    def generate_example_test(self):
        x = torch.tensor([[1.0, 2.5], [-float("inf"), -float("inf")]], device="cuda", dtype=torch.float16)
        return {"x": x, "out": torch.empty(2, device="cuda", dtype=torch.float16), "B": 2, "N": 2}

    def generate_functional_test(self):
        return [self.make(1, 1), self.make(7, 5), self.make(5, 7), self.make(128, 1024)]

    def generate_performance_test(self):
        return self.make(4096, 4096)
