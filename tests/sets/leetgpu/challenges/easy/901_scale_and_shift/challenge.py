import ctypes
from typing import Any, Dict, List

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Scale and Shift", atol=1e-05, rtol=1e-05, num_gpus=1, access_tier="free")

    def reference_impl(self, X: torch.Tensor, Y: torch.Tensor, alpha: float, N: int):
        assert X.shape == Y.shape == (N,)
        assert X.dtype == torch.float32
        torch.add(X * alpha, 1.0, out=Y)

    def get_solve_signature(self) -> Dict[str, tuple]:
        return {
            "X": (ctypes.POINTER(ctypes.c_float), "in"),
            "Y": (ctypes.POINTER(ctypes.c_float), "out"),
            "alpha": (ctypes.c_float, "in"),
            "N": (ctypes.c_size_t, "in"),
        }

    def make(self, n, alpha):
        return {
            "X": torch.empty(n, device="cuda", dtype=torch.float32).uniform_(-2.0, 2.0),
            "Y": torch.empty(n, device="cuda", dtype=torch.float32),
            "alpha": alpha,
            "N": n,
        }

    def generate_example_test(self) -> Dict[str, Any]:
        X = torch.tensor([1.0, 2.0, -3.0], device="cuda", dtype=torch.float32)
        return {"X": X, "Y": torch.empty(3, device="cuda"), "alpha": 0.5, "N": 3}

    def generate_functional_test(self) -> List[Dict[str, Any]]:
        torch.manual_seed(7)
        return [self.make(1, 0.5), self.make(64, -1.25), self.make(1001, 3.0), self.make(200000, 0.01)]

    def generate_performance_test(self) -> Dict[str, Any]:
        return self.make(25000000, 0.5)
