"""The target `cpu`: CUDA C++ in functional mode and Triton in its interpreter. Nothing is ranked.

It works on any isolation backend. After the program has compiled, a runner is taken from the warm pool. At
the same time, the oracle draws cases in its own thread.
"""

import os
import platform
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Self

from judge.built import Built
from judge.cache import ArtifactCache
from judge.compiler.limits import compile_limits, failed_build
from judge.compiler.shown_log import shown_log
from judge.counters import compiled_counters
from judge.cpu.draws import OracleDraws
from judge.cpu.orders import REPEATS
from judge.cpu.referee import HostReferee
from judge.drawn import CaseData
from judge.errors import GpuUnavailable, JudgementCancelled, LanguageMissing, RunnerUnusable
from judge.evidence.sums import Sums
from judge.languages import RANKS_RUNNER, languages_here, runner_kind
from judge.oracle import TORCH_ORACLE, Oracle, oracle_kind, runner_manifest
from judge.report import Diagnostic
from problems import schema
from problems.binding import binding_cuda
from problems.libraries import Library, linked_libraries
from problems.schema import Case, Problem
from problems.vocabulary import Language, OracleKind
from sandbox.backend import Backend, Process
from sandbox.compiled import Compiled
from sandbox.cpu.build import Runtime, build_runtime, runner_command
from sandbox.cpu.compile import compile_command, read_completion
from sandbox.cpu.recipe import NVCC_FLAGS
from sandbox.gpu.tool import Tool
from sandbox.pool import NotReady, Pool, PoolSpec
from sandbox.python_runtime import oracle_command, ranks_command, torch_oracle_command, triton_command
from sandbox.spec import Command, Completion, Limits
from sandbox.toolchain import find_toolkit

_POLL_S = 0.05
_CPUS = os.cpu_count() or 1
_PATIENCE = 2  # a right merge sort of 33,000 elements takes Triton's interpreter about 10 s
ORACLE_LIMITS = Limits(wall_s=180, cpu_s=180, memory_mib=4096)
# Runs of a case: three orders, and four more if the program races. One of the three and all of the four may
# take as long as three runs, and the first order may be repeated (judge.cpu.orders). One case has one further
# run, with other inputs (judge.cases.redrawn_case).
_RUNS = 2 + 3 + 4 * 3 + REPEATS
_START_S = 30.0  # loading and exiting, in addition to the cases


class CpuTarget:
    """Judges on this machine's processors. Implements `judge.target.Target`."""

    name = "cpu"
    ranks = False
    tools: Collection[Tool] = ()
    gpu_models: tuple[str, ...] = ()

    def __init__(self, backend: Backend, runtime: Runtime, cache: ArtifactCache, pool: Pool) -> None:
        self._backend = backend
        self._runtime = runtime
        self._cache = cache
        self._pool = pool

    @property
    def runtime(self) -> Runtime:
        """The runtime library that programs are compiled against."""
        return self._runtime

    @classmethod
    def open(cls, backend: Backend, *, cache: Path, warm: Mapping[str, int]) -> Self:
        """Open the target on `backend`; see `judge.wiring.open_target`."""
        backend.verify()
        runtime = build_runtime(cache, find_toolkit())
        recipes = {kind: PoolSpec(command, warm.get(kind, 0)) for kind, command in commands(runtime).items()}
        return cls(backend, runtime, ArtifactCache(cache / "artifacts"), Pool(backend, recipes))

    @property
    def metrics(self) -> Mapping[str, int]:
        """Return counters of requests that found a warm sandbox and of requests that did not, by kind."""
        return pool_metrics(self._pool)

    def environment(self, language: Language) -> Mapping[str, str]:
        """Return what produces the results for `language`: target, toolchain and versions."""
        common = {"target": self.name, "mode": "functional", "machine": platform.machine()}
        if language is Language.CUDA:
            stamp = self._runtime.toolkit.stamp()
            return common | stamp | {"flags": " ".join(NVCC_FLAGS), "engine": self._runtime.stamp}
        return common | {name: metadata.version(name) for name in ("triton", "torch")}

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool]
    ) -> Built:
        """Compile `source` in a sandbox, or return the result in the cache; see `judge.target.Target`."""
        if language not in languages_here():
            raise LanguageMissing(f"{language} is not installed here; run make setup without TRITON=0")
        if language is not Language.CUDA:
            return Built(contents=(source.encode(), runner_manifest(problem, language)))
        binding = binding_cuda(problem)
        counters = compiled_counters(problem.requirements)
        libraries = linked_libraries(source, problem.limits.libraries)
        launches = ["launches"] if problem.limits.device_launches else []
        key = ArtifactCache.key([self._runtime.stamp, *libraries, source, binding, *counters, *launches])
        if artifact := self._cache.get(key):
            return Built(contents=(artifact,), cached=True)
        compiled = self._compile(problem, source, binding, counters, libraries, cancelled)
        if compiled.artifact is None:
            return failed_build(compiled, problem, source)
        self._cache.put(key, compiled.artifact)
        return Built(contents=(compiled.artifact,), log=shown_log(compiled.log))

    def session(
        self,
        problem: Problem,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
        *,
        tool: Tool | None = None,  # noqa: ARG002 - functional mode checks every access anyway
        seed: int | None = None,
        gpu_model: str = "",
    ) -> "CpuSession":
        """Open a session for a submission. A thread draws its cases for it alone. Raises GpuUnavailable."""
        if gpu_model:
            raise GpuUnavailable(f"this node has no {gpu_model}: it judges on the CPU")
        draws = OracleDraws(problem, cases, self.start_oracle, cancelled, seed=seed)
        return CpuSession(self, draws, problem, language, cancelled)

    def examine(
        self, problem: Problem, source: str, language: Language, case: Case, cancelled: Callable[[], bool]
    ) -> tuple[Diagnostic, ...]:
        """Return nothing, because checking in functional mode has already reported all findings."""
        del problem, source, language, case, cancelled
        return ()

    def find_race(
        self,
        problem: Problem,
        source: str,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
    ) -> Diagnostic | None:
        """Return None, because checking the cases has already reported races."""
        del problem, source, language, cases, cancelled
        return None

    def count(
        self,
        problem: Problem,
        source: str,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
    ) -> tuple[Sums, ...] | None:
        """Return None, because checking the cases has already counted."""
        del problem, source, language, cases, cancelled
        return None

    def start_oracle(self, problem: Problem, cancelled: Callable[[], bool]) -> Oracle:
        """Return a loaded reference. The caller closes it.

        Raises LanguageMissing, RunnerUnusable, OracleFailed.
        """
        if problem.oracle is OracleKind.TORCH and Language.PYTHON not in languages_here():
            raise LanguageMissing(
                "the reference needs PyTorch, which is not installed here; run make setup without TRITON=0"
            )
        return Oracle(problem, self._take(oracle_kind(problem.oracle), ORACLE_LIMITS), cancelled)

    def start_checker(self, problem: Problem) -> Process:
        """Return a sandbox for an author's checker. The caller must close it. Raises RunnerUnusable."""
        return self._take(oracle_kind(problem.oracle), ORACLE_LIMITS)

    def close(self) -> None:
        """End the warm sandboxes."""
        self._pool.close()

    def start_runner(self, problem: Problem, language: Language) -> Process:
        """Return a new runner. The caller must close it. Raises RunnerUnusable."""
        return self._take(
            runner_kind(language, ranks=problem.ranks),
            runner_limits(problem.limits, cases=_RUNS * len(problem.cases) + 1),
        )

    def _take(self, kind: str, limits: Limits) -> Process:
        try:
            return self._pool.take(kind, limits)
        except NotReady as error:
            raise RunnerUnusable(f"{kind}: {error}") from error

    def _compile(
        self,
        problem: Problem,
        source: str,
        binding: str,
        counters: Sequence[str],
        libraries: Sequence[Library],
        cancelled: Callable[[], bool],
    ) -> Compiled:
        command = compile_command(
            source.encode(),
            binding.encode(),
            runtime=self._runtime,
            limits=compile_limits(problem),
            counters=counters,
            libraries=libraries,
            device_launches=problem.limits.device_launches,
        )
        process = self._backend.start(command)
        try:
            return read_completion(_wait(process, cancelled), self._runtime)
        finally:
            process.close()


@dataclass(frozen=True, slots=True)
class CpuSession:
    """The session of a submission on a `CpuTarget`. Implements `judge.target.JudgingSession`."""

    target: CpuTarget
    draws: OracleDraws
    problem: Problem
    language: Language
    cancelled: Callable[[], bool]

    @property
    def environment(self) -> Mapping[str, str]:
        """Return what produces the results: target, toolchain and versions."""
        return self.target.environment(self.language)

    def start_referee(self, *, alone: bool = False) -> HostReferee:  # noqa: ARG002 - no device is shared
        """Return a referee in this process."""
        problem = with_time_for(self.language, self.problem)
        start = partial(self.target.start_runner, problem, self.language)
        checker = partial(self.target.start_checker, problem)
        return HostReferee(problem, start, self.cancelled, checker)

    def start_race_check(self) -> None:
        """Return None, because functional mode detects races in every run."""

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """Wait for the contents of `case` and return them."""
        return self.draws.sets(case)

    def close(self) -> None:
        """Release the contents, and end a draw in progress."""
        self.draws.close()


def commands(runtime: Runtime) -> dict[str, Command]:
    """Return the sandbox commands, by kind."""
    limits = runner_limits(schema.ProblemLimits(), cases=1)
    found = {"cuda": runner_command(runtime, limits=limits), "oracle": oracle_command(ORACLE_LIMITS)}
    if Language.TRITON in languages_here():
        found["triton"] = triton_command(limits, threads=_CPUS)
        found[RANKS_RUNNER] = ranks_command(limits)
        found[TORCH_ORACLE] = torch_oracle_command(ORACLE_LIMITS)
    return found


def pool_metrics(pool: Pool) -> dict[str, int]:
    """Return the pool's hits and misses as counters by name."""
    hits = {f"pool_hits_{kind}": count for kind, count in pool.hits.items()}
    return hits | {f"pool_misses_{kind}": count for kind, count in pool.misses.items()}


def with_time_for(language: Language, problem: Problem) -> Problem:
    """Return `problem` with the time limit for `language` on this target.

    The interpreter gets twice the limit.
    """
    if language is not Language.TRITON:
        return problem
    return replace(problem, limits=replace(problem.limits, case_s=_PATIENCE * problem.limits.case_s))


def runner_limits(limits: schema.ProblemLimits, *, cases: int) -> Limits:
    """Return the limits of a whole runner. The referee enforces the limits of a case.

    These are a backstop.
    """
    wall_s = _START_S + cases * (limits.case_s + 2)
    return Limits(
        wall_s=wall_s,
        cpu_s=wall_s * _CPUS,
        memory_mib=limits.memory_mib,
        processes=64 + 2 * _CPUS,
    )


def _wait(process: Process, cancelled: Callable[[], bool]) -> Completion:
    while True:
        try:
            return process.wait(_POLL_S)
        except TimeoutError:
            if cancelled():
                raise JudgementCancelled from None
