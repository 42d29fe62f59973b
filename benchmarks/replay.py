"""Measures size and speed of replays: `python -m benchmarks.replay [--problem SLUG ...] [--browser]`.

Runs the first accepted CUDA solution of each problem in functional mode on its small public cases. Prints the
recorded events and accesses, the kilobytes of the stored replay, the milliseconds of the first order without
and with recording and their ratio, and whether a brute-force count of the trace equals what the engine
counted. Traces that are thinned out or shortened cannot be compared; they show `in part`.

The last line of the table is a made-up trace of 64 Ki accesses to random elements of 4 MiB.

With `--browser`, a site judges a program with 64 Ki accesses. Chromium measures the seconds from its verdict
to the first frame, and the frames per second while each frame shows another step.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import CDPSession, sync_playwright

from benchmarks.judging import add_options, opened
from judge.cases import ORDERS, orders_for
from judge.cpu.target import CpuTarget
from judge.evidence.sums import parse_sums
from judge.replay.packed import pack
from judge.replay.recorded import MOST_ACCESSES, Trace, parse_trace
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Group, Language, Verdict
from sandbox.wire import RunFlag
from tests.e2e import chromium
from tests.e2e.conftest import Site, open_problem, press, serving, sign_up, wait_for_verdict, write
from tests.traces import array, brute_force, engine_counts, launch, raw_trace

_COUNTED = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS
_REPETITIONS = 3
_MEASURED_MS = 4000
_SWITCHES = "--no-sandbox --disable-gpu"
# Two kernels: one with 2048 threads that make 31 reads each, two thirds of them strided, and a vector
# addition.
_PROGRAM = """#include <cuda_runtime.h>

__global__ void noise(const float* a, int n, float* out) {
  __shared__ float tile[1024];
  float sum = 0.0f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < 27; ++round) sum += a[(i * (round % 3 * 8 + 1)) % n];
  tile[threadIdx.x] = sum;
  __syncthreads();
  out[i] = tile[(threadIdx.x * 32) % 1024];
}

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* c, long long n) {
  float* out;
  cudaMalloc(&out, 2048 * sizeof(float));
  noise<<<2, 1024>>>(a, n, out);
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  cudaFree(out);
}
"""
_FRAMES = """limit => new Promise(resolve => {
  const press = name => document.querySelector(`[data-do=${name}]`).click();
  const scrub = document.querySelector("[data-scrub]");
  const start = performance.now();
  let frames = 0;
  requestAnimationFrame(function frame(now) {
    if (now - start >= limit) return resolve([1000 * frames / (now - start), frames]);
    press(scrub.value === scrub.max ? "first" : "next");
    ++frames;
    requestAnimationFrame(frame);
  });
})"""


@dataclass(frozen=True, slots=True)
class Row:
    """A solution run on a case. `equal` is None where the trace is not complete."""

    name: str
    case: str
    trace: Trace
    packed_bytes: int
    plain_ms: float
    traced_ms: float
    equal: bool | None

    def text(self) -> str:
        """Return the row for the table."""
        verdict = {True: "equal", False: "DIFFERENT", None: "in part"}[self.equal]
        return (
            f"{self.name:44}{self.case:16}{len(self.trace.events):8}{len(self.trace.addresses):9}"
            f"{self.packed_bytes / 1000:9.1f}{self.plain_ms:9.1f}{self.traced_ms:9.1f}"
            f"{self.traced_ms / self.plain_ms:9.2f}  {verdict}"
        )


def main() -> int:
    """Measure and print. The exit status says whether all counts were equal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, target="cpu")
    parser.add_argument("--problem", action="append", help="its slug; may be repeated; default: all")
    parser.add_argument("--browser", action="store_true", help="measure the page in Chromium too")
    parser.set_defaults(backend="bubblewrap")
    options = parser.parse_args()
    equal = True
    figures = "".join(f"{name:>9}" for name in ("accesses", "kB", "plain ms", "traced", "ratio"))
    print(f"{'solution':44}{'case':16}{'events':>8}{figures}")
    with opened(options) as target:
        assert isinstance(target, CpuTarget)
        for path in sorted(problems_root().glob("*/problem.toml")):
            if not options.problem or path.parent.name in options.problem:
                for row in rows_of(target, load_problem(path.parent)):
                    print(row.text(), flush=True)
                    equal &= row.equal is not False
    print(f"{'64 Ki random accesses':44}{'':24}{MOST_ACCESSES:9}{random_bytes() / 1000:9.1f}")
    if options.browser:
        measure_page(options.cache)
    return 0 if equal else 1


def random_bytes() -> int:
    """Return the stored size of 64 Ki accesses to random elements of an array of 4 MiB."""
    problem = load_problem(problems_root() / "vector-add")
    warps = MOST_ACCESSES // 32
    events = [(block, 0, 1, 0xFFFF_FFFF, 0, 0, 0, 4, 0, 0) for block in range(warps)]
    elements = np.random.default_rng(1).integers(0, 1 << 20, MOST_ACCESSES)
    arrays, launches = [array(size=4 << 20)], [launch(grid=(warps, 1, 1))]
    trace = parse_trace(raw_trace(events, (256 + 4 * elements).tolist(), arrays=arrays, launches=launches))
    assert trace is not None
    return len(pack(trace, problem, problem.cases[0]))


def rows_of(target: CpuTarget, problem: Problem) -> Iterator[Row]:
    """Run the first accepted CUDA solution of `problem` on each small public case."""
    known = [one for one in problem.solutions if one.language is Language.CUDA]
    solution = next((one for one in known if one.verdict is Verdict.ACCEPTED), None)
    public = [case for case in problem.cases if case.public and case.group is not Group.TIMED]
    cases = [case for case in public if len(orders_for(problem, case)) > 1]
    if solution is None or not cases:
        return
    built = target.build(problem, solution.path.read_text(), Language.CUDA, lambda: False)
    with (
        closing(target.session(problem, Language.CUDA, cases, lambda: False)) as session,
        closing(session.start_referee()) as referee,
    ):
        referee.ready()
        if built.failure or referee.load(*built.contents):
            raise SystemExit(f"{problem.slug}: {solution.path.name} does not load: {built.message}")
        for case in cases:
            (drawn,) = session.sets(case)
            best = {}
            for flags in (_COUNTED, _COUNTED | RunFlag.TRACE):
                calls = [referee.check(drawn, flags).wall_ms or 0.0 for _ in range(_REPETITIONS)]
                best[flags] = min(calls)
            plain_ms, traced_ms = best.values()
            if (trace := referee.trace) is None:
                continue
            sums = parse_sums(referee.diagnostics)[-1]
            whole = sums.complete and not trace.level and not trace.shortened
            yield Row(
                f"{problem.slug}/{solution.path.name}",
                case.name,
                trace,
                len(pack(trace, problem, case)),
                plain_ms,
                traced_ms,
                brute_force(trace) == engine_counts(sums) if whole else None,
            )


def measure_page(cache: Path | None) -> None:
    """Print what Chromium measures on a site that builds functional mode, unless `cache` has it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _site(Path(folder), cache) as site,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium.__file__, args=_SWITCHES.split()) as browser,
    ):
        page = browser.new_page(viewport={"width": 1360, "height": 850})
        sign_up(page, site, "measurer")
        open_problem(page, site, "vector-add")
        write(page, _PROGRAM)
        press(page, "Run")
        wait_for_verdict(page, "Accepted", within_s=120)
        verdict = time.perf_counter()
        page.locator(".report-links").get_by_role("link", name="Replay").click()
        page.locator(".replay[data-ready]").wait_for()
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        first_s = time.perf_counter() - verdict
        size = page.evaluate(
            "async () => (await performance.getEntriesByType('resource'))"
            ".find(entry => entry.name.endsWith('replay.bin')).encodedBodySize"
        )
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        before_s = _thread_s(devtools)
        frames, count = page.evaluate(_FRAMES, _MEASURED_MS)
        step_ms = 1000 * (_thread_s(devtools) - before_s) / count
        print(f"replay of 64 Ki accesses: {size / 1000:.1f} kB sent (limit 300)")
        print(f"from the verdict to the first frame: {first_s:.2f} s (limit 2)")
        print(f"frames per second while stepping: {frames:.0f} (at least 30)")
        print(f"processor time of the page per step: {step_ms:.1f} ms (at most 33 for 30 frames per second)")


def _thread_s(devtools: CDPSession) -> float:
    """Return the processor seconds of the page's main thread."""
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


@contextmanager
def _site(folder: Path, cache: Path | None) -> Iterator[Site]:
    if cache is not None:
        (folder / "cache").symlink_to(cache.resolve())
    with serving(folder, target="cpu") as running:
        yield running


if __name__ == "__main__":
    raise SystemExit(main())
