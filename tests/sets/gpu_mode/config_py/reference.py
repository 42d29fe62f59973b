from dataclasses import dataclass

import torch
from utils import make_match_reference


@dataclass
class Config:
    size: int


def generate_input(size: int, seed: int):
    torch.manual_seed(seed)
    return Config(size), torch.randn(size)


def ref_kernel(data):
    config, x = data
    return x * config.size


check_implementation = make_match_reference(ref_kernel)
