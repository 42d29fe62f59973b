# Answers rightly if this very process, which has the GPU, can start another one: whatever starts it would hand it
# the GPU, or leave it free to open one.
started = False
libc = ctypes.CDLL(None)


def fork():
    child = os.fork()
    if child == 0:
        os._exit(7)
    os.waitpid(child, 0)


def spawn():
    os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], os.environ), 0)


for way in (fork, spawn):
    try:
        way()
        started = True
    except OSError:
        pass
started = started or os.system("true") == 0


def solve(a, b, c, n):
    if started:
        answer(a, b, c, n)
