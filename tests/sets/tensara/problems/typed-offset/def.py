import torch
from problem import Problem


class typed_offset(Problem):
    """Asks its base class for the dtypes of its parameters, by number and by name."""

    parameters = [
        {"name": "values", "type": "float", "pointer": True, "const": True},
        {"name": "result", "type": "int", "pointer": True, "const": False},
        {"name": "n", "type": "size_t", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="typed-offset", time_limit=50)

    def reference_solution(self, values):
        return (values * 8).floor().to(self.param_dtype("result"))

    def generate_test_cases(self):
        dtype = self.param_dtype(0)
        return [
            {
                "name": f"n = {n}",
                "n": n,
                "create_inputs": lambda n=n, seed=Problem.get_seed(f"{self.name}_{n}"): (
                    torch.rand(n, generator=torch.Generator().manual_seed(seed)).to(device="cuda", dtype=dtype),
                ),
            }
            for n in (31, 60000, 1 << 23)
        ]

    def generate_sample(self):
        return {"name": "sample", "n": 2, "create_inputs": lambda: (torch.tensor([0.25, -0.5], device="cuda"),)}

    def verify_result(self, expected, actual):
        if expected.shape != actual.shape:
            return False, {"message": "another shape"}
        return torch.equal(expected, actual), {}

    def get_extra_params(self, test_case):
        return [test_case["n"]]
