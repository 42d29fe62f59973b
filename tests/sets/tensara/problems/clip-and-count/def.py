import torch
from problem import Problem


class clip_and_count(Problem):
    tolerance = 2e-3
    parameters = [
        {"name": "limit", "type": "float", "pointer": False, "const": False},
        {"name": "input", "type": "float", "pointer": True, "const": True},
        {"name": "clipped", "type": "float", "pointer": True, "const": False},
        {"name": "count", "type": "int", "pointer": True, "const": False},
        {"name": "shape", "type": "int", "pointer": True, "const": True},
    ]

    def __init__(self):
        super().__init__(name="clip-and-count")

    def reference_solution(self, limit, data):
        return data.clamp(-limit, limit), (data.abs() > limit).sum(dim=1).to(torch.int32)

    def make(self, rows, cols):
        return {
            "name": f"{rows} by {cols}",
            "rows": rows,
            "cols": cols,
            "create_inputs": lambda: (0.5, torch.randn(rows, cols, device="cuda")),
        }

    def generate_test_cases(self):
        return [self.make(3, 5), self.make(100, 700), self.make(4096, 8192)]

    def generate_sample(self):
        return self.make(2, 2)

    def verify_result(self, expected, actual):
        return torch.allclose(expected, actual, atol=self.tolerance, rtol=1e-4), {}

    def get_extra_params(self, test_case):
        return [torch.tensor([test_case["rows"], test_case["cols"]], dtype=torch.int32, device="cuda")]

    def get_flops(self, test_case):
        return 3 * test_case["rows"] * test_case["cols"]
