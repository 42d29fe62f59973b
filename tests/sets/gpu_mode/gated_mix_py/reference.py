import torch
import torch.nn.functional as F
from task import input_t, output_t
from utils import verbose_allclose

RTOL = 1e-3


def generate_input(rows: int, width: int, distribution: str, seed: int) -> input_t:
    if rows == 65537:
        raise MemoryError("no memory for that many rows")
    gen = torch.Generator(device="cuda").manual_seed(seed)
    x = torch.randn(rows, width, device="cuda", generator=gen)
    if distribution == "cauchy":
        x = (x / (x.abs() + 0.5)).clamp(-4, 4)
    weights = {
        "mix": torch.randn(width, width, device="cuda", generator=gen) / width**0.5,
        "gate": torch.randn(width, width, device="cuda", generator=gen).T / width**0.5,
    }
    config = {"width": width, "heads": 4, "scale": 0.125, "kind": "sigmoid", "mask": None}
    return x, weights, config


def ref_kernel(data: input_t) -> output_t:
    x, weights, config = data
    gate = torch.sigmoid(F.linear(x, weights["gate"]) * config["scale"])
    assert x.shape[1] == config["width"]
    return F.linear(x, weights["mix"]) * gate, gate.mean()


def check_implementation(data, output):
    for got, wanted in zip(output, ref_kernel(data)):
        good, reasons = verbose_allclose(got, wanted, rtol=RTOL, atol=1e-4)
        if not good:
            return False, reasons[0]
    return True, ""
