import torch
from torch import nn
from utils import make_match_reference


class Layers(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.lambda_ = nn.Linear(width, width, bias=False)

    def forward(self, x, mask):
        return self.lambda_(torch.relu(self.first(x))) * mask.unsqueeze(-1)


def generate_input(rows: int, width: int, open: bool, seed: int):
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    x = torch.randn(rows, width, device="cuda", generator=gen)
    # A mask of another dtype in some tests.
    mask = torch.ones(rows, device="cuda") if open else torch.randint(0, 2, (rows,), device="cuda", generator=gen)
    made = lambda *shape: torch.randn(*shape, device="cuda", generator=gen) / width
    weights = {"first.weight": made(width, width), "first.bias": made(width)}
    return x, mask, weights, {"weight": made(width, width)}, {"first.weight": made(1), "lambda": 2}


def ref_kernel(data):
    x, mask, weights, other, scales = data
    layers = Layers(x.shape[1]).to(x.device)
    layers.first.weight = nn.Parameter(weights["first.weight"])
    layers.first.bias = nn.Parameter(weights["first.bias"])
    layers.lambda_.weight = nn.Parameter(other["weight"] * scales["first.weight"])
    return layers(x, mask) * scales["lambda"]


check_implementation = make_match_reference(ref_kernel, rtol=1e-3, atol=1e-4)
