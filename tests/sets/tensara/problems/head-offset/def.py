import torch
from problem import Problem


class head_offset(Problem):
    """Its parameters are in the head of the statement, a solution called torch.py lies beside it, no flops."""

    def __init__(self):
        super().__init__(name="head-offset")

    def reference_solution(self, values, amount):
        return values + amount

    def generate_test_cases(self, dtype):
        return [
            {
                "name": f"n = {n}",
                "n": n,
                "create_inputs": lambda n=n, dtype=dtype: (torch.rand(n, device="cuda", dtype=dtype), 0.5),
            }
            for n in (33, 70000, 1 << 23)
        ]

    def verify_result(self, expected, actual, dtype):
        return torch.allclose(actual, expected, rtol=1e-5, atol=1e-6), {}

    def get_extra_params(self, test_case):
        return [test_case["n"]]
