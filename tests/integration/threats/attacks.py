"""Programs that try to get an undeserved verdict, each with the verdict that it must get.

Each is a program for vector addition. `docs/threat-model.md` has a row for each, and `test_programs` judges
them.
"""

from dataclasses import dataclass

from problems.vocabulary import Language, Verdict

CUDA_HEAD = """
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <thread>
#include <chrono>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <pthread.h>
"""
ADD = """
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
TRITON_HEAD = """
import ctypes, gc, os, signal, sys, threading, time
import torch
import triton
import triton.language as tl

@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)
"""


@dataclass(frozen=True)
class Attack:
    name: str
    row: str
    language: Language
    source: str
    verdict: Verdict


def cuda(name: str, row: str, verdict: Verdict, source: str) -> Attack:
    return Attack(name, row, Language.CUDA, CUDA_HEAD + ADD + source, verdict)


def triton(name: str, row: str, verdict: Verdict, source: str) -> Attack:
    return Attack(name, row, Language.TRITON, TRITON_HEAD + source, verdict)


SOLVE = 'extern "C" void solve(const float* a, const float* b, float* c, int n)'

ATTACKS = (
    cuda(
        "detached-host-thread",
        "deferred work",
        Verdict.WRONG_ANSWER,
        SOLVE
        + """ {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  }).detach();
}""",
    ),
    cuda(
        "patched-clock",
        "patched timers",
        Verdict.WRONG_ANSWER,
        'extern "C" int clock_gettime(clockid_t, timespec* t) { *t = timespec{}; return 0; }\n'
        + SOLVE
        + " {}",
    ),
    cuda(
        "cache-by-size",
        "cache by pointer, shape, id, seed",
        Verdict.WRONG_ANSWER,
        SOLVE
        + """ {
  static float* kept = nullptr;
  if (!kept) { cudaMalloc(&kept, 4 << 20); add<<<1, 256>>>(a, b, kept, n < 256 ? n : 256); }
  cudaMemcpy(c, kept, size_t(n) * 4, cudaMemcpyDeviceToDevice);
}""",
    ),
    cuda(
        "cache-for-each-size",
        "cache by pointer, shape, id, seed",
        Verdict.WRONG_ANSWER,
        "\n#include <map>\nstatic std::map<int, float*> kept;\n"
        + SOLVE
        + """ {
  float*& sum = kept[n];
  if (!sum) { cudaMalloc(&sum, size_t(n) * 4); add<<<(n + 255) / 256, 256>>>(a, b, sum, n); }
  cudaMemcpy(c, sum, size_t(n) * 4, cudaMemcpyDeviceToDevice);
}""",
    ),
    cuda(
        "scratch-kept-without-an-event",
        "miss an order between streams, and hide it in memory that it keeps",
        Verdict.WRONG_ANSWER,
        """
__global__ void copy(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
"""
        + SOLVE
        + """ {
  static float* kept = nullptr;
  static cudaStream_t first, second;
  if (!kept) {
    cudaMalloc(&kept, 8 << 20);
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  }
  copy<<<(n + 255) / 256, 256, 0, first>>>(a, kept, n);
  add<<<(n + 255) / 256, 256, 0, second>>>(kept, b, c, n);
  cudaDeviceSynchronize();
}""",
    ),
    cuda(
        "uninitialised-allocation",
        "return uninitialised or freed memory",
        Verdict.WRONG_ANSWER,
        SOLVE
        + """ {
  float* leftover;
  cudaMalloc(&leftover, size_t(n) * 4);
  cudaMemcpy(c, leftover, size_t(n) * 4, cudaMemcpyDeviceToDevice);
}""",
    ),
    cuda(
        "nan-everywhere",
        "NaN or Inf as wildcards",
        Verdict.WRONG_ANSWER,
        SOLVE + " { cudaMemset(c, 0xff, size_t(n) * 4); }",
    ),
    cuda(
        "inputs-set-to-zero",
        "mutate the inputs",
        Verdict.REJECTED,
        SOLVE
        + """ {
  cudaMemset((void*)a, 0, size_t(n) * 4);
  cudaMemset((void*)b, 0, size_t(n) * 4);
  cudaMemset(c, 0, size_t(n) * 4);
}""",
    ),
    cuda(
        "public-case-alone",
        "hard-code the public cases",
        Verdict.WRONG_ANSWER,
        SOLVE + " { if (n == 4) add<<<1, 4>>>(a, b, c, n); }",
    ),
    cuda(
        "all-but-the-last",
        "compute part of the output",
        Verdict.WRONG_ANSWER,
        SOLVE + " { if (n > 1) add<<<(n + 255) / 256, 256>>>(a, b, c, n - 1); }",
    ),
    cuda(
        "past-the-end",
        "write out of bounds",
        Verdict.ILLEGAL_ACCESS,
        SOLVE + " { add<<<n / 256 + 1, 256>>>(a, b, c, n + 1); }",
    ),
    cuda(
        "prints-pass-and-exits",
        "print the judge's own pass line",
        Verdict.RUNTIME_ERROR,
        SOLVE
        + """ {
  for (int descriptor = 1; descriptor < 3; ++descriptor) dprintf(descriptor, "verdict: accepted\\n");
  _exit(0);
}""",
    ),
    cuda(
        "answers-by-itself",
        "write to inherited descriptors",
        Verdict.REJECTED,
        SOLVE
        + """ {
  for (unsigned long sequence = 0; sequence < 40; ++sequence)
    for (int descriptor = 3; descriptor < 16; ++descriptor)
      send(descriptor, &sequence, 8, MSG_NOSIGNAL | MSG_DONTWAIT);
  pause();
}""",
    ),
    cuda(
        "prints-pass-on-the-channel",
        "print the judge's own pass line",
        Verdict.REJECTED,
        SOLVE + ' { dprintf(3, "accepted"); _exit(0); }',
    ),
    cuda(
        "replaces-the-channel",
        "dup2",
        Verdict.RUNTIME_ERROR,
        SOLVE + " { int p[2]; (void)!pipe(p); dup2(p[1], 3); _exit(0); }",
    ),
    cuda("exits-with-success", "_exit(0)", Verdict.RUNTIME_ERROR, SOLVE + " { _exit(0); }"),
    cuda("aborts", "abort", Verdict.RUNTIME_ERROR, SOLVE + " { abort(); }"),
    cuda(
        "kills-everybody",
        "kill the parent",
        Verdict.RUNTIME_ERROR,
        SOLVE + " { kill(getppid(), SIGKILL); kill(1, SIGKILL); kill(-1, SIGKILL); _exit(0); }",
    ),
    cuda(
        "constructor-answers",
        "library constructors",
        Verdict.RUNTIME_ERROR,
        "__attribute__((constructor)) void early() {\n"
        "  unsigned long one = 1; (void)!write(3, &one, 8); _exit(0);\n}\n" + SOLVE + " {}",
    ),
    cuda(
        "diagnostics-bomb",
        "pickle or JSON bombs in results",
        Verdict.WRONG_ANSWER,
        SOLVE
        + """ {
  static char junk[4096];
  memset(junk, '[', sizeof junk);
  for (int descriptor = 4; descriptor < 32; ++descriptor) {
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 64; ++i) (void)!write(descriptor, junk, sizeof junk);
  }
}""",
    ),
    cuda(
        "lifts-the-arena",
        "host code on device memory",
        Verdict.ILLEGAL_ACCESS,
        SOLVE + " { for (int i = 0; i < n; ++i) c[i] = a[i] + b[i]; }",
    ),
    cuda(
        "endless-kernel",
        "endless kernel",
        Verdict.TIME_LIMIT,
        "__global__ void spin(volatile float* c) { while (c[0] == c[0] || true) c[0] = 1; }\n"
        + SOLVE
        + " { spin<<<1, 1>>>(c); }",
    ),
    cuda(
        "endless-host",
        "endless host code",
        Verdict.TIME_LIMIT,
        SOLVE + " { for (volatile int i = 0;; ++i) {} }",
    ),
    cuda(
        "memory-bomb",
        "memory bomb",
        Verdict.MEMORY_LIMIT,
        SOLVE
        + """ {
  for (;;) { char* p = (char*)malloc(64 << 20); if (!p) abort(); memset(p, 1, 64 << 20); }
}""",
    ),
    cuda(
        "output-flood",
        "10 GB of stdout",
        Verdict.OUTPUT_LIMIT,
        SOLVE
        + """ {
  static char line[1 << 16];
  memset(line, 'x', sizeof line);
  for (long i = 0; i < 160 * 1024; ++i) (void)!write(1, line, sizeof line);
}""",
    ),
    triton(
        "cache-for-each-size-triton",
        "cache by pointer, shape, id, seed",
        Verdict.WRONG_ANSWER,
        """
kept = {}
def solve(a, b, c, n):
    if n not in kept:
        kept[n] = torch.empty(n, device="cuda")
        add[(triton.cdiv(n, 1024),)](a, b, kept[n], n, BLOCK=1024)
    c.copy_(kept[n])
""",
    ),
    triton(
        "import-time-exit",
        "import-time code",
        Verdict.RUNTIME_ERROR,
        "os._exit(0)\n",
    ),
    triton(
        "answers-by-itself-triton",
        "write to inherited descriptors",
        Verdict.REJECTED,
        """
import socket
def solve(a, b, c, n):
    channel = socket.socket(fileno=3)
    for sequence in range(40):
        channel.send(sequence.to_bytes(8, "little"))
    time.sleep(60)
""",
    ),
    triton(
        "patches-the-runner",
        "rewrite harness files",
        Verdict.WRONG_ANSWER,
        """
def solve(a, b, c, n):
    for module in list(sys.modules.values()):
        for name in ("compare", "checker", "verdict", "expected", "unpack_reply"):
            try:
                setattr(module, name, lambda *arguments, **named: True)
            except Exception:
                pass
""",
    ),
    triton(
        "searches-for-the-answer",
        "scan the address space for the expected output",
        Verdict.WRONG_ANSWER,
        """
def solve(a, b, c, n):
    wanted = torch.empty_like(c)
    add[(triton.cdiv(n, 1024),)](a, b, wanted, n, BLOCK=1024)
    for other in gc.get_objects():
        if isinstance(other, torch.Tensor) and other.numel() == n and other.data_ptr() not in (
            a.data_ptr(), b.data_ptr(), c.data_ptr(), wanted.data_ptr()
        ):
            if abs(other.numpy() - wanted.numpy()).max() < 1e-3:
                c.numpy()[:] = other.numpy()
    for number in os.listdir("/proc/self/fd"):
        try:
            if "expected" in os.readlink(f"/proc/self/fd/{number}"):
                c.copy_(wanted)
        except OSError:
            pass
""",
    ),
    triton(
        "resizes-the-output",
        "lazy result",
        Verdict.WRONG_ANSWER,
        """
def solve(a, b, c, n):
    wanted = torch.empty_like(c)
    add[(triton.cdiv(n, 1024),)](a, b, wanted, n, BLOCK=1024)
    c.data = wanted
""",
    ),
    triton(
        "late-thread-triton",
        "deferred work",
        Verdict.WRONG_ANSWER,
        """
def solve(a, b, c, n):
    wanted = torch.empty_like(c)
    add[(triton.cdiv(n, 1024),)](a, b, wanted, n, BLOCK=1024)
    threading.Thread(target=lambda: (time.sleep(0.3), c.copy_(wanted)), daemon=True).start()
""",
    ),
    triton(
        "raises",
        "exceptions",
        Verdict.RUNTIME_ERROR,
        "def solve(a, b, c, n):\n    raise SystemExit(0)\n",
    ),
    triton(
        "wild-pointer",
        "write out of bounds",
        Verdict.ILLEGAL_ACCESS,
        "def solve(a, b, c, n):\n    ctypes.memset(64, 0, 64)\n",
    ),
    triton(
        "past-the-end-triton",
        "write out of bounds",
        Verdict.ILLEGAL_ACCESS,
        """
@triton.jit
def all_of_it(a, b, c, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + at, tl.load(a + at) + tl.load(b + at))

def solve(a, b, c, n):
    all_of_it[(triton.cdiv(n, 1024),)](a, b, c, BLOCK=1024)
""",
    ),
    triton(
        "passes-off-pytorch",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    torch.add(a, b, out=c)
""",
    ),
    triton(
        "passes-off-pytorch-in-place",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    c.copy_(a)
    c += b
""",
    ),
    triton(
        "passes-off-aten",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    torch.ops.aten.add.out(a, b, out=c)
""",
    ),
    triton(
        "passes-off-pytorch-next-to-a-kernel",
        "another language",
        Verdict.REJECTED,
        """
@triton.jit
def nothing(a):
    pass

def solve(a, b, c, n):
    nothing[(1,)](a)
    c[:] = a + b
""",
    ),
    triton(
        "passes-off-a-compiled-graph",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    c.copy_(torch.compile(lambda left, right: left + right)(a, b))
""",
    ),
    triton(
        "swallows-the-refusal",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    try:
        torch.add(a, b, out=c)
    except BaseException:
        pass
    add[(triton.cdiv(n, 1024),)](a, b, c, n, BLOCK=1024)
""",
    ),
    triton(
        "steps-under-the-dispatcher",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    with torch.inference_mode(), torch._C._DisableTorchDispatch(), torch._C._AutoDispatchBelowAutograd():
        torch.ops.aten.add.out.redispatch(keys, a, b, out=c)
""",
    ),
    triton(
        "computes-on-a-thread",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    thread = threading.Thread(target=lambda: torch.add(a, b, out=c))
    thread.start()
    thread.join()
""",
    ),
    triton(
        "takes-the-rule-back",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    for found in gc.get_objects():
        if type(found).__name__ in ("_DispatchModule", "ComputingOperators", "Library"):
            for name in ("restore", "reset", "_destroy"):
                getattr(found, name, lambda: None)()
    torch.add(a, b, out=c)
""",
    ),
    triton(
        "passes-off-numpy",
        "another language",
        Verdict.REJECTED,
        """
def solve(a, b, c, n):
    c.numpy()[:] = a.numpy() + b.numpy()
""",
    ),
)
