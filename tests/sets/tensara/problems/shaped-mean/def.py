import torch
from problem import Problem


class shaped_mean(Problem):
    """A list says the dimensions of another array, which are as many in every test."""

    parameters = [
        {"name": "data", "type": "float", "pointer": True, "const": True},
        {"name": "means", "type": "float", "pointer": True, "const": False},
        {"name": "shape", "type": "int", "pointer": True, "const": True},
    ]

    def __init__(self):
        super().__init__(name="shaped-mean")

    def reference_solution(self, data):
        return data.mean(dim=1)

    def generate_test_cases(self, dtype):
        return [
            {
                "name": f"{rows} x {cols}",
                "shape": (rows, cols),
                "create_inputs": lambda rows=rows, cols=cols: (
                    torch.rand((rows, cols), device="cuda", dtype=dtype),
                ),
            }
            for rows, cols in ((4, 6), (20, 40), (4096, 4096))
        ]

    def verify_result(self, expected, actual, dtype):
        return torch.allclose(actual, expected, rtol=1e-5, atol=1e-5), {}

    def get_extra_params(self, test_case):
        return [torch.tensor(test_case["shape"], dtype=torch.int32, device="cuda")]
