import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    """An output of unsigned numbers, for which PyTorch has few operations."""

    name = "Mixed Bits"
    atol = 0
    rtol = 0
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, keys, mixed, n, rounds):
        assert keys.dtype == torch.int32 and mixed.dtype == torch.uint32
        word = keys.to(torch.int64)
        for _ in range(rounds):
            word = ((word ^ (word >> 7)) * 40503 + 12345) & 0xFFFFFFFF
        mixed.copy_(word.to(torch.int32).view(torch.uint32))

    def get_solve_signature(self):
        return {
            "keys": (ctypes.POINTER(ctypes.c_int32), "in"),
            "mixed": (ctypes.POINTER(ctypes.c_uint32), "out"),
            "n": (ctypes.c_int, "in"),
            "rounds": (ctypes.c_int, "in"),
        }

    def make(self, n, rounds):
        keys = torch.randint(0, 2**31 - 1, (n,), device=self.device, dtype=torch.int32)
        return {"keys": keys, "mixed": torch.zeros(n, device=self.device, dtype=torch.uint32), "n": n, "rounds": rounds}

    def generate_example_test(self):
        return self.make(3, 2)

    def generate_functional_test(self):
        return [self.make(1, 1), self.make(33, 3), self.make(60000, 5)]

    def generate_performance_test(self):
        return self.make(5000000, 10)
