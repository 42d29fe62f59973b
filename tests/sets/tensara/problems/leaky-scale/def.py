from typing import Any, Dict, List, Tuple

import torch
from problem import Problem


class leaky_scale(Problem):
    is_exact = False

    parameters = [
        {"name": "d_input", "type": "float", "pointer": True, "const": True},
        {"name": "alpha", "type": "float", "pointer": False, "const": False},
        {"name": "d_output", "type": "float", "pointer": True, "const": False},
        {"name": "n", "type": "size_t", "pointer": False, "const": False},
        {"name": "m", "type": "size_t", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="leaky-scale")

    def reference_solution(self, data: torch.Tensor, alpha: float) -> torch.Tensor:
        with torch.no_grad(), torch.autocast("cuda", enabled=False, dtype=torch.float32):
            self._scale = float(data.abs().max())
            return torch.where(data > 0, data, alpha * data)

    def _case(self, n, m, alpha):
        seed = Problem.get_seed(f"{self.name}_{n}x{m}")
        return {
            "name": f"{n}x{m}, alpha={alpha}",
            "dims": (n, m),
            "create_inputs": lambda n=n, m=m, alpha=alpha, seed=seed: (
                torch.rand((n, m), device="cuda", generator=torch.Generator(device="cuda").manual_seed(seed)) * 2 - 1,
                alpha,
            ),
        }

    def generate_test_cases(self) -> List[Dict[str, Any]]:
        return [self._case(n, m, a) for n, m, a in ((4096, 4096, 0.01), (32768, 65536, 0.05), (6144, 4096, 0.2))]

    def generate_sample(self) -> Dict[str, Any]:
        return {
            "name": "sample",
            "dims": (2, 3),
            "create_inputs": lambda: (torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], device="cuda"), 0.5),
        }

    def verify_result(self, expected: torch.Tensor, actual: torch.Tensor) -> Tuple[bool, Dict[str, Any]]:
        limit = 1e-5 * self._scale
        close = torch.all(torch.abs(expected - actual) <= limit)
        return close, {"largest": torch.max(torch.abs(expected - actual)).item()}

    def get_extra_params(self, test_case: Dict[str, Any]) -> List[Any]:
        return list(test_case["dims"])

    def get_flops(self, test_case: Dict[str, Any]) -> int:
        n, m = test_case["dims"]
        return 2 * n * m
