# Spreads calls over streams, so that the calls of a batch run side by side.
streams = [torch.cuda.Stream() for _ in range(8)]
calls = 0


def solve(a, b, c, n):
    global calls
    calls += 1
    with torch.cuda.stream(streams[calls % len(streams)]):
        answer(a, b, c)
