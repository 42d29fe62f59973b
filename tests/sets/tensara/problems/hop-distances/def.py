import torch
from problem import Problem


class hop_distances(Problem):
    """Whole numbers that are floats, and masks that pick elements, when inputs are made and when used."""

    parameters = [
        {"name": "lengths", "type": "float", "pointer": True, "const": True},
        {"name": "distances", "type": "float", "pointer": True, "const": False},
        {"name": "n", "type": "size_t", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="hop-distances")

    def reference_solution(self, lengths):
        found = lengths.clone()
        missing = (lengths == 0) & ~torch.eye(lengths.size(0), device=lengths.device, dtype=torch.bool)
        found[missing] = float("inf")
        for middle in range(8):
            found = torch.minimum(found, found[:, middle : middle + 1] + found[middle : middle + 1, :])
        return torch.where(torch.isinf(found), -1.0, found)

    def of(self, n, dtype):
        lengths = torch.zeros((n, n), device="cuda", dtype=dtype)
        there = torch.rand((n, n), device="cuda") < 0.3
        lengths[there] = torch.randint(1, 20, (n, n), device="cuda", dtype=dtype)[there]
        return (lengths,)

    def generate_test_cases(self, dtype):
        return [
            {"name": f"n = {n}", "n": n, "create_inputs": lambda n=n: self.of(n, dtype)}
            for n in (16, 64, 2600)
        ]

    def verify_result(self, expected, actual, dtype):
        return torch.allclose(actual, expected, rtol=1e-4, atol=1e-3), {}

    def get_extra_params(self, test_case):
        return [test_case["n"]]
