import torch
from problem import Problem


class window_sums(Problem):
    """A window that must stay smaller than what it moves over, and a number far below one."""

    parameters = [
        {"name": "signal", "type": "float", "pointer": True, "const": True},
        {"name": "window", "type": "float", "pointer": True, "const": True},
        {"name": "floor", "type": "float", "pointer": False, "const": False},
        {"name": "sums", "type": "float", "pointer": True, "const": False},
        {"name": "n", "type": "size_t", "pointer": False, "const": False},
        {"name": "k", "type": "size_t", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="window-sums")

    def reference_solution(self, signal, window, floor):
        return (signal.unfold(0, window.size(0), 1) @ window).clamp(min=floor)

    def generate_test_cases(self, dtype):
        return [
            {
                "name": f"n = {n}, k = {k}",
                "sizes": (n, k),
                "create_inputs": lambda n=n, k=k, floor=floor: (
                    torch.rand(n, device="cuda", dtype=dtype),
                    torch.rand(k, device="cuda", dtype=dtype),
                    floor,
                ),
            }
            for n, k, floor in ((24, 6, 0.01), (40, 18, 1e-8), (64, 32, 1e-8))
        ]

    def verify_result(self, expected, actual, dtype):
        return torch.allclose(actual, expected, rtol=1e-5, atol=1e-5), {}

    def get_extra_params(self, test_case):
        return list(test_case["sizes"])
