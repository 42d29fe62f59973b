# As fast as PyTorch adds.
def solve(a, b, c, n):
    answer(a, b, c)
