import torch

def solve(a, b, c, n):
    c[:] = a + b
