import torch
from problem import Problem


class axis_argmax(Problem):
    parameters = [
        {"name": "input", "type": "float", "pointer": True, "const": True},
        {"name": "dim", "type": "int", "pointer": False, "const": False},
        {"name": "output", "type": "int", "pointer": True, "const": False},
        {"name": "shape", "type": "int", "pointer": True, "const": True},
        {"name": "ndim", "type": "int", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="axis-argmax")

    def reference_solution(self, data, dim):
        return torch.argmax(data, dim=dim).to(torch.int32)

    def generate_test_cases(self, dtype):
        return [
            {
                "name": f"shape={shape}, dim={dim}",
                "shape": shape,
                "dim": dim,
                "create_inputs": lambda shape=shape, dim=dim: (torch.rand(shape, device="cuda", dtype=dtype) * 10 - 5, dim),
            }
            for shape, dim in (((16, 12, 9), 1), ((64, 64, 64), 0), ((5, 7, 3, 4), 3), ((256, 512, 512), 2), ((7, 3), 0))
        ]

    def generate_sample(self, dtype):
        return [
            {
                "name": "sample",
                "shape": (2, 3),
                "dim": 1,
                "create_inputs": lambda: (torch.tensor([[1.0, 5.0, 2.0], [9.0, 0.0, 3.0]], device="cuda", dtype=dtype), 1),
            }
        ]

    def verify_result(self, expected, actual, dtype):
        return torch.all(expected == actual), {}

    def get_extra_params(self, test_case):
        return [torch.tensor(list(test_case["shape"]), dtype=torch.int32), len(test_case["shape"])]

    def get_flops(self, test_case):
        shape, dim = test_case["shape"], test_case["dim"]
        total = 1
        for extent in shape:
            total *= extent
        return total // shape[dim] * (shape[dim] - 1)
