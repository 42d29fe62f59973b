# No attack: what the others are compared with.
def solve(a, b, c, n):
    answer(a, b, c, n)
