import ctypes
import random

import numpy as np
import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Bump in Place", atol=0, rtol=0, num_gpus=1, access_tier="free")

    def reference_impl(self, counts, lambda_, N):
        counts += lambda_

    def get_solve_signature(self):
        return {"counts": (ctypes.POINTER(ctypes.c_int64), "inout"), "lambda_": (ctypes.c_int, "in"), "N": (ctypes.c_int, "in")}

    def make(self, n, step):
        values = torch.tensor([random.randint(0, 99) for _ in range(min(n, 50))] + [0] * max(0, n - 50), dtype=torch.int64)
        values += torch.from_numpy(np.random.randint(0, 9, n))
        return {"counts": values.cuda(), "lambda_": step, "N": n}

    def generate_example_test(self):
        return {"counts": torch.tensor([1, 2, 3], dtype=torch.int64, device="cuda"), "lambda_": 2, "N": 3}

    def generate_functional_test(self):
        return [self.make(1, 1), self.make(100, -3), self.make(100, -3), self.make(77, 0)]

    def generate_performance_test(self):
        return self.make(5, 1)
