"""A product of matrices of packed four-bit numbers, whose blocks have factors of eight bits."""

import torch
from utils import make_match_reference


def generate_input(rows: int, depth: int, seed: int):
    torch.manual_seed(seed)
    a = torch.randint(0, 256, (rows, depth // 2), dtype=torch.uint8, device="cuda")
    b = torch.randint(0, 256, (128, depth // 2), dtype=torch.uint8, device="cuda")
    factors = [
        torch.randint(1, 4, (count * depth // 16,), device="cuda").to(torch.float8_e4m3fn)
        for count in (rows, 128)
    ]
    return a.view(torch.float4_e2m1fn_x2), b.view(torch.float4_e2m1fn_x2), *factors


def ref_kernel(data):
    a, b, a_factors, b_factors = data
    return torch._scaled_mm(a, b.transpose(0, 1), a_factors, b_factors, out_dtype=torch.float16)


check_implementation = make_match_reference(ref_kernel, rtol=1e-2, atol=1e-2)
