import ctypes

import torch
from core.challenge_base import ChallengeBase, OutTensor, RandnTensor


class Challenge(ChallengeBase):
    name = "Row Norms"
    atol = 1e-4
    rtol = 1e-4
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, output: torch.Tensor, rows: int, input: torch.Tensor, cols: int):
        output.copy_((input.view(rows, cols) ** 2).sum(dim=1))

    def get_solve_signature(self):
        return {
            "output": (ctypes.POINTER(ctypes.c_float), "out"),
            "rows": (ctypes.c_int, "in"),
            "input": (ctypes.POINTER(ctypes.c_float), "in"),
            "cols": (ctypes.c_int, "in"),
        }

    def _make_test_case(self, rows, cols, zero=False):
        data = torch.zeros(rows, cols) if zero else torch.randn(rows, cols)
        return {"output": torch.empty(rows, device=self.device), "rows": rows, "input": data.to(self.device), "cols": cols}

    def generate_example_test(self):
        data = torch.tensor([[1.0, 2.0], [3.0, -4.0]], device=self.device)
        return {"output": torch.empty(2, device=self.device), "rows": 2, "input": data, "cols": 2}

    def generate_functional_test(self):
        torch.manual_seed(3)
        return [self._make_test_case(r, c) for r, c in ((1, 1), (5, 3), (32, 64), (300, 400))] + [
            self._make_test_case(5, 3, zero=True)
        ]

    def generate_performance_test(self):
        rows, cols = 64, 128
        return {"output": OutTensor((rows,)), "rows": rows, "input": RandnTensor((rows, cols)), "cols": cols}
