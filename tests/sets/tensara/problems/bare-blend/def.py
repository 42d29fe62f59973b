import ctypes

import torch
from problem import Problem


class bare_blend(Problem):
    """Only a signature of types says what its parameters are; its count of operations fails."""

    def __init__(self):
        super().__init__(name="bare-blend")

    def reference_solution(self, left, right, share):
        return left * share + right * (1 - share)

    def generate_test_cases(self, dtype):
        return [
            {
                "name": f"{rows} x {cols}",
                "dims": (rows, cols),
                "create_inputs": lambda rows=rows, cols=cols, share=share: (
                    torch.rand((rows, cols), device="cuda", dtype=dtype),
                    torch.rand((rows, cols), device="cuda", dtype=dtype),
                    share,
                ),
            }
            for rows, cols, share in ((5, 3, 0.25), (300, 200, 0.5), (4096, 1024, 0.75))
        ]

    def generate_sample(self, dtype=torch.float32):
        return [
            {
                "name": "sample",
                "dims": (1, 2),
                "create_inputs": lambda: (
                    torch.tensor([[1.0, 2.0]], device="cuda", dtype=dtype),
                    torch.tensor([[3.0, 4.0]], device="cuda", dtype=dtype),
                    0.5,
                ),
            }
        ]

    def verify_result(self, expected, actual, dtype):
        return torch.allclose(actual, expected, rtol=1e-5, atol=1e-6), {}

    def get_function_signature(self):
        return {
            "argtypes": [
                ctypes.POINTER(ctypes.c_float),
                ctypes.POINTER(ctypes.c_float),
                ctypes.c_float,
                ctypes.POINTER(ctypes.c_float),
                ctypes.c_size_t,
                ctypes.c_int32,
            ],
            "restype": None,
        }

    def get_flops(self, test_case):
        return test_case["elements"] * 3

    def get_extra_params(self, test_case):
        return list(test_case["dims"])
