import torch
from problem import Problem


class row_shift(Problem):
    """Its tolerance depends on the dtype, and it counts a sum of products."""

    parameters = [
        {"name": "data", "type": "float", "pointer": True, "const": True},
        {"name": "shift", "type": "float", "pointer": True, "const": True},
        {"name": "output", "type": "float", "pointer": True, "const": False},
        {"name": "rows", "type": "size_t", "pointer": False, "const": False},
        {"name": "cols", "type": "size_t", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="row-shift")

    def reference_solution(self, data, shift):
        return 2 * data + shift

    def _case(self, rows, cols):
        return {
            "name": f"{rows} x {cols}",
            "dims": (rows, cols),
            "create_inputs": lambda: (torch.randn(rows, cols, device="cuda"), torch.randn(cols, device="cuda")),
        }

    def generate_test_cases(self, dtype):
        return [self._case(*dims) for dims in ((7, 5), (300, 200), (64, 1024), (4096, 4000))]

    def generate_sample(self, dtype):
        return self._case(2, 3)

    def verify_result(self, expected, actual, dtype):
        wide = 2e-2 if dtype == torch.float16 else 3e-4
        close = torch.allclose(actual, expected, rtol=wide, atol=1e-2 if dtype == torch.float16 else 2e-5)
        return close, {}

    def get_extra_params(self, test_case):
        return list(test_case["dims"])

    def get_flops(self, test_case):
        rows, cols = test_case["dims"]
        return 2 * rows * cols + 3 * rows
