import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Apply Layer", atol=1e-4, rtol=1e-4, num_gpus=1, access_tier="free")

    def reference_impl(self, input: torch.Tensor, model: torch.nn.Module, output: torch.Tensor):
        with torch.no_grad():
            output.copy_(model(input))

    def get_solve_signature(self):
        return {
            "input": (torch.Tensor, "in"),
            "model": (torch.nn.Module, "in"),
            "output": (torch.Tensor, "out"),
        }

    def make(self, batch, inner, outer):
        model = torch.nn.Linear(inner, outer).to("cuda")
        return {
            "input": torch.randn(batch, inner, device="cuda"),
            "model": model,
            "output": torch.empty(batch, outer, device="cuda"),
        }

    def generate_example_test(self):
        case = self.make(2, 2, 1)
        with torch.no_grad():
            case["model"].weight.fill_(0.5)
            case["model"].bias.fill_(1.0)
        case["input"] = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda")
        return case

    def generate_functional_test(self):
        return [self.make(1, 1, 1), self.make(3, 5, 7), self.make(64, 32, 16), self.make(500, 128, 64)]

    def generate_performance_test(self):
        return self.make(4096, 2048, 1024)
