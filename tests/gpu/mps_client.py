"""A process with a CUDA context. It reads one command per line and answers `ok …` or `error CODE`.

`tests.gpu.test_mps` starts it with CuPy on its path. The commands are not hostile: submissions do the same.
"""

import sys

import cupy

SPIN = """
extern "C" __global__ void spin(volatile int* stop) { while (*stop == 0) {} }
extern "C" __global__ void fault(int* nowhere) { *nowhere = 1; }
"""
MIB = 1 << 20


class Client:
    def __init__(self):
        self.module = cupy.RawModule(code=SPIN)
        self.flag = cupy.zeros(1, dtype=cupy.int32)
        self.stream = cupy.cuda.Stream(non_blocking=True)
        cupy.cuda.runtime.deviceSynchronize()

    def sum(self):
        return int(cupy.arange(1000).sum())

    def allocate(self, mib):
        return cupy.cuda.runtime.malloc(int(mib) * MIB)

    def spin(self):
        with self.stream:
            self.module.get_function("spin")((1,), (1,), (self.flag,))

    def fault(self):
        self.module.get_function("fault")((1,), (1,), (cupy.uint64(0x10),))
        cupy.cuda.runtime.deviceSynchronize()

    def sync(self):
        cupy.cuda.runtime.deviceSynchronize()

    def copy(self):
        """Return the milliseconds of a copy that uses all multiprocessors."""
        source = cupy.zeros(256 * MIB, dtype=cupy.uint8)
        target = cupy.empty_like(source)
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        for number in range(12):
            if number == 2:
                begin.record()
            cupy.add(source, 1, out=target)
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end) / 10


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def attempt(action, *arguments):
    try:
        say(f"ok {action(*arguments)}")
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        say(f"error {error.status}")


def main():
    made = []
    attempt(lambda: made.append(Client()))
    for line in sys.stdin:
        word, *arguments = line.split()
        attempt(getattr(made[0], word), *arguments)


if __name__ == "__main__":
    main()
