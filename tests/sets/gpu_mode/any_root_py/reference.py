import torch


def generate_input(size: int, seed: int):
    torch.manual_seed(seed)
    return torch.rand(size, device="cuda") + 1


def ref_kernel(data):
    root = torch.sqrt(data)
    return root, -root


def check_implementation(data, output):
    left, right = output
    if left.dtype != torch.float32 or right.dtype != torch.float32:
        return "roots must be float32"
    if not torch.equal(left, -right):
        return "one must be the negative of the other"
    return "" if torch.allclose(left * left, data, rtol=1e-5, atol=0.0) else "the squares are others"
