"""Where programs are judged: a sandbox backend, toolchains and warm pools behind one name."""

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from judge.cache import ArtifactCache
from judge.errors import CompilerBroken, JudgementCancelled, LanguageMissing, RunnerUnusable
from judge.oracle import runner_manifest
from problems import schema
from problems.binding import binding_cuda
from problems.schema import Problem
from problems.vocabulary import Language, Verdict
from sandbox.backend import Backend, Process
from sandbox.bubblewrap import Bubblewrap
from sandbox.cpu.build import Runtime, build_runtime, runner_command
from sandbox.cpu.compile import COMPILE_LIMITS, Compiled, Outcome, compile_command, read_completion
from sandbox.pool import NotReady, Pool, Recipe
from sandbox.python_runtime import oracle_command, triton_command
from sandbox.spec import Command, Completion, Limits
from sandbox.toolchain import find_toolkit

_BACKENDS: Mapping[str, Callable[[], Backend]] = {"bubblewrap": Bubblewrap}
_POLL_S = 0.05
_CPUS = os.cpu_count() or 1
_ORACLE_LIMITS = Limits(wall_s=180, cpu_s=180, memory_mib=4096)
_START_S = 30.0  # loading, and leaving at the end, on top of the cases


def languages_here() -> tuple[Language, ...]:
    """The languages that this installation can judge: Triton is optional."""
    with_triton = all(find_spec(name) for name in ("torch", "triton"))
    return (Language.CUDA, Language.TRITON) if with_triton else (Language.CUDA,)


@dataclass(frozen=True, slots=True)
class Built:
    """What compiling yields: the `contents` that a runner loads, or a `failure` with its `message`."""

    contents: tuple[bytes, ...] = ()
    log: str = ""
    failure: Verdict | None = None
    message: str = ""


class Target:
    """A place to judge on. Open one per process, close it at the end.

    `ranks` says whether times measured here count; on a CPU they never do.
    """

    name: str = "cpu"
    ranks: bool = False

    def __init__(self, backend: Backend, runtime: Runtime, cache: ArtifactCache, pool: Pool) -> None:
        self._backend = backend
        self._runtime = runtime
        self._cache = cache
        self._pool = pool

    @classmethod
    def open(cls, name: str, *, backend: str, cache: Path, warm: Mapping[str, int]) -> Self:
        """Open the target `name` (`cpu`) on the isolation `backend` (`bubblewrap`).

        `cache` is a directory for compiled artifacts and the built runtime. `warm` says how many
        sandboxes to keep started ahead, by what runs in them: `cuda`, `triton`, `oracle`.

        Raises:
            sandbox.backend.IsolationUnavailable: with the fix.
            sandbox.toolchain.ToolchainMissing: with the install line.
            ValueError: there is no such target or backend.
        """
        if name != cls.name or backend not in _BACKENDS:
            raise ValueError(f"there is no target {name!r} on {backend!r}")
        isolation = _BACKENDS[backend]()
        isolation.verify()
        runtime = build_runtime(cache, find_toolkit())
        limits = _runner_limits(schema.Limits(), cases=1)
        commands: dict[str, Command] = {
            "cuda": runner_command(runtime, limits=limits),
            "oracle": oracle_command(_ORACLE_LIMITS),
        }
        if Language.TRITON in languages_here():
            commands["triton"] = triton_command(limits, threads=_CPUS)
        recipes = {kind: Recipe(command, warm.get(kind, 0)) for kind, command in commands.items()}
        return cls(isolation, runtime, ArtifactCache(cache / "artifacts"), Pool(isolation, recipes))

    def environment(self, language: Language) -> Mapping[str, str]:
        """What produces the results for `language` here: target, toolchain and versions."""
        common = {"target": self.name, "mode": "functional", "machine": platform.machine()}
        if language is Language.CUDA:
            return common | self._runtime.toolkit.stamp() | {"engine": self._runtime.stamp}
        return common | {name: metadata.version(name) for name in ("triton", "torch")}

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool]
    ) -> Built:
        """Compile `source`, isolated, or take it from the cache.

        Raises:
            JudgementCancelled: `cancelled` became true.
            CompilerBroken: the toolchain failed on our account.
            LanguageMissing: this installation lacks the language.
        """
        if language not in languages_here():
            raise LanguageMissing(f"{language} is not installed here; run make setup without TRITON=0")
        if language is Language.TRITON:
            return Built(contents=(source.encode(), runner_manifest(problem)))
        binding = binding_cuda(problem)
        key = ArtifactCache.key([self._runtime.stamp, source, binding])
        if artifact := self._cache.get(key):
            return Built(contents=(artifact,))
        compiled = self._compile(problem, source, binding, cancelled)
        if compiled.artifact is None:
            return _failed(compiled)
        self._cache.put(key, compiled.artifact)
        return Built(contents=(compiled.artifact,), log=compiled.log)

    def start_runner(self, problem: Problem, language: Language) -> Process:
        """A fresh runner that has reported ready. Raises RunnerUnusable."""
        return self._take(language.value, _runner_limits(problem.limits, cases=len(problem.cases)))

    def start_oracle(self) -> Process:
        """A fresh oracle that has reported ready. Raises RunnerUnusable."""
        return self._take("oracle", _ORACLE_LIMITS)

    def close(self) -> None:
        """End the warm sandboxes."""
        self._pool.close()

    def _take(self, kind: str, limits: Limits) -> Process:
        try:
            return self._pool.take(kind, limits)
        except NotReady as error:
            raise RunnerUnusable(f"{kind}: {error}") from error

    def _compile(
        self, problem: Problem, source: str, binding: str, cancelled: Callable[[], bool]
    ) -> Compiled:
        wall_s = problem.limits.compile_s
        limits = replace(COMPILE_LIMITS, wall_s=wall_s, cpu_s=wall_s * 1.5)
        command = compile_command(source.encode(), binding.encode(), runtime=self._runtime, limits=limits)
        process = self._backend.start(command)
        try:
            return read_completion(_wait(process, cancelled), self._runtime)
        finally:
            process.close()


def _wait(process: Process, cancelled: Callable[[], bool]) -> Completion:
    while True:
        try:
            return process.wait(_POLL_S)
        except TimeoutError:
            if cancelled():
                raise JudgementCancelled from None


def _failed(compiled: Compiled) -> Built:
    if compiled.outcome is Outcome.BROKEN:
        raise CompilerBroken(compiled.log)
    if compiled.outcome is Outcome.EXCEEDED:
        message = compiled.log.partition("\n")[0]
    else:
        message = "It does not compile."
    return Built(log=compiled.log, failure=Verdict.COMPILE_ERROR, message=message)


def _runner_limits(limits: schema.Limits, *, cases: int) -> Limits:
    """Limits of a whole runner. The referee enforces those of one case; these catch what slips through."""
    wall_s = _START_S + cases * (limits.case_s + 2)
    return Limits(
        wall_s=wall_s,
        cpu_s=wall_s * _CPUS,
        memory_mib=limits.memory_mib,
        processes=64 + 2 * _CPUS,
    )
