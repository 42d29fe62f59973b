import torch
from problem import Problem


class modular_pairs(Problem):
    """Whole numbers beyond what float64 can tell apart; its sample is made before it is asked for."""

    parameters = [
        {"name": "first", "type": "uint64_t", "pointer": True, "const": True},
        {"name": "modulus", "type": "uint64_t", "pointer": False, "const": False},
        {"name": "pairs", "type": "uint64_t", "pointer": True, "const": False},
        {"name": "n", "type": "size_t", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="modular-pairs")
        self.modulus = 2**62 - 57

    def reference_solution(self, first, modulus):
        assert first.device.type == "cuda"
        return torch.stack((first, (modulus - first) % modulus), dim=1)

    def generate_test_cases(self):
        return [
            {
                "name": f"N = {n:,}",
                "n": n,
                "create_inputs": lambda n=n: (torch.randint(0, self.modulus, (n,), device="cuda"), self.modulus),
            }
            for n in (31, 60_000, 1 << 22)
        ]

    def generate_sample(self):
        first = torch.tensor([0, 1, self.modulus - 1], device="cuda", dtype=torch.int64)
        return {"name": "sample", "n": first.numel(), "create_inputs": lambda: (first, self.modulus)}

    def verify_result(self, expected, actual):
        return torch.equal(expected, actual), {}

    def get_extra_params(self, test_case):
        return [test_case["n"]]

    def get_flops(self, test_case):
        return 2 * test_case["n"]
