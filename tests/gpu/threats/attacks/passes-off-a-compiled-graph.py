# Has PyTorch write the Triton.
compiled = torch.compile(lambda left, right: left + right)


def solve(a, b, c, n):
    c.copy_(compiled(a, b))
