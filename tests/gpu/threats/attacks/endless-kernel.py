# Never ends.
@triton.jit
def spin(c):
    going = 1
    while going != 0:
        going = tl.load(c.to(tl.pointer_type(tl.int32))) | 1
        tl.store(c.to(tl.pointer_type(tl.int32)), 1)


def solve(a, b, c, n):
    spin[(1,)](c)
