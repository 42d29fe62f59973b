"""Shared code of the judging benchmarks: a target from the command line, programs, and judgements.

They judge through `judge.target` and `judge.evaluate` as a worker does, without site, database or broker, so
that they run on a bare GPU host. On a host without a GPU, `--target cpu` uses functional mode, and `--target
simulated` uses all parts of a GPU node except the GPU. The times of both say nothing about a GPU.
"""

import argparse
import secrets
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judge.cpu.target import CpuTarget
from judge.errors import JudgeError
from judge.evaluate import evaluate
from judge.gpu.settings import HOST_IMAGES, NodeSettings
from judge.gpu.simulated import SimulatedHardware
from judge.gpu.target import GpuTarget
from judge.report import Report, Timing
from judge.target import Target
from judge.wiring import open_backend, open_target
from problems.loader import load_problem
from problems.schema import Case, Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from sandbox.backend import IsolationUnavailable
from sandbox.gpu.mps import Mps
from sandbox.gpu.nvml import open_nvml

ROOT = Path(__file__).resolve().parent.parent
SIMULATED = "simulated"
TARGETS = ("cpu", "gpu", SIMULATED)
WARM = {"cuda": 2, "triton": 2, "oracle": 2, "compile": 2}
MAX_TRIES = 3  # as a worker's
RETRY_S = 2.0  # time for MPS to recover from a fault


@dataclass(frozen=True, slots=True)
class Program:
    """A source, and the correct verdicts for it."""

    name: str
    language: Language
    source: str
    expected: tuple[Verdict, ...] = (Verdict.ACCEPTED,)

    def rebuilt(self) -> "Program":
        """Return the same program with a changed source, which is in no cache."""
        comment = "//" if self.language is Language.CUDA else "#"
        return replace(self, source=f"{self.source}\n{comment} {secrets.token_hex(8)}\n")


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement of `program`. `report` is None if the judge gave up. `tries` is counted as by a worker."""

    program: Program
    report: Report | None
    wall_s: float
    tries: int

    @property
    def right(self) -> bool:
        """Return whether the verdict is one of the expected ones."""
        return self.report is not None and self.report.verdict in self.program.expected


def add_options(parser: argparse.ArgumentParser, *, target: str | None = "gpu") -> None:
    """Add the options that choose a target. The default is `target`."""
    parser.add_argument("--target", choices=TARGETS, default=target, help="default: %(default)s")
    parser.add_argument(
        "--backend", choices=("docker", "bubblewrap"), default="docker", help="default: %(default)s"
    )
    parser.add_argument("--images", default=HOST_IMAGES, help="PREFIX:TAG; default: %(default)s")
    parser.add_argument(
        "--gpu", type=int, action="append", help="the index of a GPU; may be repeated; default: all"
    )
    parser.add_argument(
        "--cache", type=Path, help="keep what is built here; by default in a folder that goes at the end"
    )


@contextmanager
def opened(options: argparse.Namespace, *, slots: int = 8, mps: bool = True) -> Iterator[Target]:
    """Yield the target of the options, with `slots` checks at a time on a GPU. Close it after the block.

    The target has its own leases, MPS daemons and secret pools, so no other process may use the GPUs.
    """
    with tempfile.TemporaryDirectory(prefix="warpcourt-") as folder:
        node = NodeSettings(
            runtime_dir=Path(folder) / "run",
            images=options.images,
            mps=mps,
            check_slots=slots,
            gpus=_uuids(options.gpu) if options.target == "gpu" else (),
        )
        target = _open(options, node, cache=options.cache or Path(folder) / "cache")
        try:
            yield target
        finally:
            target.close()
            for gpu_runtime in target.gpu_runtimes.values() if isinstance(target, GpuTarget) else ():
                gpu_runtime.secret_pool.end()  # otherwise its memory affects the times of the next benchmark
            if options.target == "gpu" and mps:
                _stop_mps(node.runtime_of(Path(folder)))


def _open(options: argparse.Namespace, node: NodeSettings, *, cache: Path) -> Target:
    if options.target != SIMULATED:
        return open_target(options.target, backend=options.backend, cache=cache, warm=WARM, node=node)
    isolation = open_backend(options.backend, node=node)
    return GpuTarget(
        SimulatedHardware(CpuTarget.open(isolation, cache=cache, warm={})),
        isolation,
        runtime=node.runtime_of(cache),
        warm=WARM,
        slots=node.check_slots,
        secret_pool=node.secret_pool,
    )


def _uuids(indices: Sequence[int] | None) -> tuple[str, ...]:
    """Return the uuids of the GPUs with these indices, none for all GPUs."""
    uuids = [gpu.uuid for gpu in open_nvml().gpus()] if indices else []
    return tuple(uuids[index] for index in indices or ())


def _stop_mps(runtime: Path) -> None:
    """Stop the MPS daemons of a directory that will be deleted."""
    for gpu in open_nvml().gpus():
        Mps(gpu.uuid, gpu.minor, runtime).stop()


def vector_addition(*, timed: Sequence[int] = (), case_s: float | None = None) -> Problem:
    """Return vector addition with timed cases of these sizes, under a separate version."""
    return timed_problem("vector-add", timed, case_s=case_s)


def timed_problem(slug: str, timed: Sequence[int], *, case_s: float | None = None) -> Problem:
    """Return a shipped problem of one size with timed cases of these sizes, under a separate version."""
    problem = load_problem(ROOT / "problems" / slug)
    checked = tuple(case for case in problem.cases if case.group is not Group.TIMED)
    cases = tuple(Case(f"timed-{n}", Group.TIMED, {"n": n}) for n in timed)
    limits = replace(problem.limits, case_s=case_s) if case_s else problem.limits
    version = f"benchmark-{len(timed)}-{sum(timed)}"
    return replace(problem, cases=(*checked, *cases), limits=limits, version=version)


def shipped(name: str) -> Program:
    """Return an accepted shipped solution of vector addition by its file name."""
    path = ROOT / "problems" / "vector-add" / "solutions" / name
    language = next(language for language in Language if language.suffix == path.suffix)
    return Program(name, language, path.read_text())


def judge(target: Target, problem: Problem, program: Program) -> Judged:
    """Judge `program` as a submit. Retry after a failure of the judge, as a worker does."""
    started = time.monotonic()
    report, tries = None, 0
    while report is None and tries < MAX_TRIES:
        tries += 1
        try:
            report = evaluate(
                problem, program.source, language=program.language, mode=Mode.SUBMIT, target=target
            )
        except (JudgeError, IsolationUnavailable) as error:
            print(f"{program.name}, try {tries}: {type(error).__name__}: {error}")
            time.sleep(RETRY_S)
    return Judged(program, report, time.monotonic() - started, tries)


def require_right(judged: Judged) -> Judged:
    """Return `judged`. Exit if its verdict was not expected."""
    if not judged.right:
        said = judged.report and f"{judged.report.verdict}: {judged.report.message}\n{judged.report.log}"
        raise SystemExit(f"{judged.program.name}: expected {judged.program.expected}, got {said}")
    return judged


def timings_of(judged: Judged, count: int) -> list[Timing]:
    """Return the timings of all `count` timed cases. Exit if one is missing."""
    cases = judged.report.cases if judged.report else ()
    timings = [case.timing for case in cases if case.timing is not None]
    if len(timings) != count:
        raise SystemExit("not every case was timed; this benchmark needs a target that ranks")
    return timings


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a heading, with the first column left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        print("  ".join([first.ljust(widths[0]), *cells]), flush=True)
