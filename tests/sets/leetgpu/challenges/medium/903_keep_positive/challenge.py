import ctypes

import torch
from core.challenge_base import ChallengeBase, FullTensor, OutTensor, RandIntTensor, RandTensor


class Challenge(ChallengeBase):
    name = "Keep Positive"
    atol = 0.0
    rtol = 0.0
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, data, scale, N, out, count):
        kept = (data * scale)[data > 0]
        out[: kept.numel()] = kept
        count[0] = kept.numel()

    def get_solve_signature(self):
        return {
            "data": (ctypes.POINTER(ctypes.c_float), "in"),
            "scale": (ctypes.POINTER(ctypes.c_int), "in"),
            "N": (ctypes.c_int, "in"),
            "out": (ctypes.POINTER(ctypes.c_float), "out"),
            "count": (ctypes.POINTER(ctypes.c_int), "out"),
        }

    def make(self, n):
        return {
            "data": torch.empty(n, device="cuda").uniform_(-1, 1),
            "scale": torch.randint(1, 3, (n,), device="cuda", dtype=torch.int32),
            "N": n,
            "out": torch.zeros(n, device="cuda"),
            "count": torch.zeros(1, dtype=torch.int32, device="cuda"),
        }

    def generate_example_test(self):
        return {
            "data": torch.tensor([1.0, -2.0, 3.0, -4.0], device="cuda"),
            "scale": torch.tensor([1, 1, 2, 1], device="cuda", dtype=torch.int32),
            "N": 4,
            "out": torch.zeros(4, device="cuda"),
            "count": torch.zeros(1, dtype=torch.int32, device="cuda"),
        }

    def generate_functional_test(self):
        return [self.make(n) for n in (1, 33, 128, 100000)]

    def generate_performance_test(self):
        n = 1 << 24
        return {
            "data": RandTensor((n,), -1.0, 1.0),
            "scale": RandIntTensor((n,), 1, 3),
            "N": n,
            "out": FullTensor((n,), 0.0),
            "count": OutTensor((1,), dtype="int32"),
        }
