"""The NVIDIA GPUs of this host, and the containers that run on them.

Runners are clients of the card's MPS. The oracle and the secret pool run outside MPS, so a fault of a
submission, which ends the contexts of all MPS clients, does not affect them. The GPU alternates between them
and MPS. This costs microseconds, which only timed sessions would notice, and timed sessions hold the card
alone.
"""

import logging
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Self

from judge.built import Built
from judge.cache import ArtifactCache, BuiltCache
from judge.clock.calibration import Calibration, CalibrationFailed, calibrated, load
from judge.clock.roofline import Roofline, roofline
from judge.compiler.limits import compile_limits, failed_build
from judge.compiler.shown_log import shown_log
from judge.cpu.target import ORACLE_LIMITS, runner_limits
from judge.errors import CompilerBroken, JudgementCancelled, LibraryMissing, RunnerUnusable
from judge.evidence.kernels import parse_kernels
from judge.gpu.hardware import Card
from judge.gpu.settings import NodeSettings
from judge.languages import LIBRARIES_RUNNER, languages_here
from judge.oracle import TORCH_ORACLE, runner_manifest
from problems import schema
from problems.binding import binding_cuda
from problems.libraries import linked_libraries
from problems.schema import Case, Problem
from problems.vocabulary import Language
from sandbox.backend import Backend, IsolationUnavailable
from sandbox.gpu import health, profiler
from sandbox.gpu.compile.compilation import Compilation, CompilationCancelled
from sandbox.gpu.compile.compiler import IN_IMAGE as COMPILER_IN_IMAGE
from sandbox.gpu.compile.compiler import Compiler, architecture, on_host, open_compiler
from sandbox.gpu.lease import Leases, Share
from sandbox.gpu.mps import Mps, MpsUnavailable
from sandbox.gpu.nvml import GpuInfo, Nvml, NvmlUnavailable, open_nvml
from sandbox.gpu.runners import (
    IN_IMAGE,
    Interpreter,
    build_device_runner,
    cuda_runner_command,
    library_runner_command,
    of_this_process,
    oracle_command,
    ranks_runner_command,
    triton_runner_command,
    watched_runner_command,
)
from sandbox.gpu.tool import Tool
from sandbox.pool import NotReady, Pool
from sandbox.spec import Bind, Command, Limits, SandboxGpu
from sandbox.toolchain import find_toolkit

_log = logging.getLogger(__name__)

_COMPILE = "compile"
_CONTEXT_MIB = 4096  # host memory that CUDA and PyTorch need for themselves
_IMAGE_PROGRAMS = "/usr/local/cuda/bin"
_TASKS = 256  # includes threads of the driver and Triton's compilers
_DESCRIPTORS = 1024  # each array of a timed session needs one


@dataclass(frozen=True, slots=True)
class Tools:
    """Tools for compiling and running programs, found or built on this host."""

    compiler: Compiler
    runner: Path
    interpreter: Interpreter
    cache: BuiltCache


class NvidiaHardware:
    """Implements `judge.gpu.hardware.Hardware`. Create it with `open`."""

    def __init__(
        self,
        cards: Sequence[Card],
        calibrations: Mapping[str, Calibration],
        tools: Tools,
        nvml: Nvml,
        *,
        versions: Mapping[str, str],
        languages: tuple[Language, ...],
    ) -> None:
        self.cards = tuple(cards)
        self.languages = languages
        self._calibrations = calibrations
        self._tools = tools
        self._nvml = nvml
        self._versions = versions
        self._listing = ThreadPoolExecutor(2, thread_name_prefix="listings")

    @classmethod
    def open(cls, backend: Backend, *, cache: Path, node: NodeSettings) -> Self:
        """Start MPS, query the compilers, and measure new cards. The first time on a host takes a minute.

        Raises:
            sandbox.backend.IsolationUnavailable: there is no GPU, or it cannot be shared. The message has the
                fix.
            sandbox.toolchain.ToolchainMissing: a tool is missing. The message has the command to install it.
        """
        runtime = node.runtime_of(cache)
        try:
            nvml = open_nvml()
            found = [info for info in nvml.gpus() if not node.gpus or info.uuid in node.gpus]
            cards = [_card(info, runtime, node) for info in found]
        except (NvmlUnavailable, MpsUnavailable) as error:
            raise IsolationUnavailable(str(error)) from error
        if not cards:
            raise IsolationUnavailable("this host has no NVIDIA GPU to judge on; set WARPCOURT_TARGET=cpu")
        toolkit = find_toolkit()
        compiler = open_compiler(
            backend,
            on_host(toolkit) if node.host_images else COMPILER_IN_IMAGE,
            cache=cache,
            architectures=sorted({architecture(info.capability) for info in found}),
        )
        tools = Tools(
            compiler,
            build_device_runner(cache, toolkit),
            of_this_process() if node.host_images else IN_IMAGE,
            BuiltCache(ArtifactCache(cache / "artifacts")),
        )
        return cls(
            cards,
            _calibrate(found, cache / "calibration", Leases(runtime, slots=node.check_slots)),
            tools,
            nvml,
            versions={"images": node.images} if not node.host_images else {},
            languages=languages_here() if node.host_images else tuple(Language),
        )

    @property
    def shared(self) -> Mapping[str, Command]:
        """Return the sandboxes that compile."""
        return {_COMPILE: self._tools.compiler.command()}

    def limits(self, limits: schema.ProblemLimits, *, cases: int) -> Limits:
        """Return the limits as on a CPU, plus the memory that CUDA itself needs."""
        common = runner_limits(limits, cases=cases)
        return replace(
            common,
            memory_mib=common.memory_mib + _CONTEXT_MIB,
            processes=max(common.processes, _TASKS),
            descriptors=_DESCRIPTORS,
            tmpfs_mib=512,
        )

    def commands(self, card: Card) -> Mapping[str, Command]:
        """Return the runners of a card, and its oracle."""
        limits, interpreter = self.limits(schema.ProblemLimits(), cases=1), self._tools.interpreter
        found = {
            "cuda": cuda_runner_command(self._tools.runner, limits=limits, gpu=card.gpu),
            LIBRARIES_RUNNER: library_runner_command(self._tools.runner, limits=limits, gpu=card.gpu),
            "oracle": oracle_command(interpreter, limits=_oracle_limits(), gpu=card.oracle),
        }
        # The same image: its builder decides whether it has PyTorch.
        found[TORCH_ORACLE] = found["oracle"]
        if Language.TRITON in self.languages:
            found["triton"] = triton_runner_command(
                interpreter, self._tools.runner, limits=limits, gpu=card.gpu
            )
        return found

    @property
    def tools(self) -> Collection[Tool]:
        """The tools that are installed."""
        return tuple(tool for tool in Tool if self._find(tool) is not None)

    def watched(self, card: Card, limits: Limits, tool: Tool) -> Command:
        """Return the CUDA runner under a tool of the toolkit, outside MPS. Raises RunnerUnusable."""
        gpu = _beside_mps(card.gpu) if card.gpu else None
        found = self._find(tool)
        if found is None:
            raise RunnerUnusable(f"{tool.program} is not installed; it comes with the CUDA toolkit")
        program, binds = found
        return watched_runner_command(
            self._tools.runner, program, tool=tool, limits=limits, gpu=gpu, binds=binds
        )

    def outside_mps(self, cards: Sequence[Card], limits: Limits, *, ranks: int = 1) -> Command:
        """Return the CUDA runner, or the runner of ranks, outside MPS that sees all of `cards`."""
        first, *others = (_beside_mps(card.gpu) for card in cards if card.gpu)
        gpu = replace(first, peers=tuple(others))
        if ranks == 1:
            return cuda_runner_command(self._tools.runner, limits=limits, gpu=gpu)
        limits = replace(limits, memory_mib=limits.memory_mib + (ranks - 1) * _CONTEXT_MIB)
        return ranks_runner_command(self._tools.interpreter, self._tools.runner, limits=limits, gpu=gpu)

    def are_peers(self, card: Card, other: Card) -> bool:
        """Return what NVML reports, or False if NVML does not report it."""
        try:
            return self._nvml.are_peers(card.uuid, other.uuid)
        except NvmlUnavailable:
            return False

    def environment(self, language: Language) -> Mapping[str, str]:
        """Return what produces the results for `language`: toolchain and versions."""
        if language is Language.CUDA:
            return {**self._versions, **self._tools.compiler.versions}
        if self._versions:  # the tag of the image identifies its contents
            return self._versions
        return {name: metadata.version(name) for name in ("triton", "torch")}

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool], pool: Pool
    ) -> Built:
        """Compile for the architectures of this node, or return the result in the cache."""
        if language is not Language.CUDA:
            return Built(contents=(source.encode(), runner_manifest(problem, language)))
        compiler, cache = self._tools.compiler, self._tools.cache
        binding = binding_cuda(problem)
        libraries = linked_libraries(source, problem.limits.libraries)
        if lacking := [library for library in libraries if library not in compiler.libraries]:
            raise LibraryMissing(
                f"{' and '.join(lacking)} cannot be linked on this node: its CUDA toolkit, or the image "
                "compiling, has only a part of the libraries"
            )
        launches = problem.limits.device_launches
        if launches and not compiler.device_launches:
            raise LibraryMissing(
                "Kernels that launch kernels cannot be linked on this node: its CUDA toolkit, or the image "
                "for compiling, lacks libcudadevrt.a"
            )
        parts = compiler.key(source.encode(), binding.encode(), libraries=libraries, device_launches=launches)
        key = ArtifactCache.key(parts)
        if known := cache.get(key):
            return known
        limits = compile_limits(problem, architectures=len(compiler.architectures))
        try:
            process = pool.take(_COMPILE, limits)
        except NotReady as error:
            raise CompilerBroken(f"the compile sandbox is unavailable: {error}") from error
        recipe = compiler.recipe(device_launches=launches).linking(libraries)
        compilation = Compilation(process, source.encode(), binding.encode(), recipe)
        try:
            compiled = compilation.result(cancelled)
            if compiled.artifact is None:
                compilation.close()
                return failed_build(compiled, problem, source)
        except CompilationCancelled:
            compilation.close()
            raise JudgementCancelled from None
        except BaseException:
            compilation.close()
            raise
        kernels = parse_kernels(compiled.resources)
        built = Built(contents=(compiled.artifact,), log=shown_log(compiled.log), kernels=kernels)
        cache.put(key, built)
        return replace(built, later=self._listing.submit(_keep, compilation, cache, key, built))

    def roofline(self, card: Card, problem: Problem, case: Case) -> Roofline | None:
        """Return the roofline from the measured rates of this card."""
        calibration = self._calibrations.get(card.uuid)
        return None if calibration is None else roofline(problem, case.sizes, calibration)

    def held_mib(self, card: Card, pids: Collection[int]) -> int:
        """Return how many MiB of a card's memory `pids` hold according to NVML.

        0 if it does not report it.
        """
        try:
            processes = self._nvml.sample(card.uuid).processes
        except NvmlUnavailable:
            return 0
        return sum(process.memory_mib or 0 for process in processes if process.pid in pids)

    def examine(self, card: Card) -> str:
        """Test a card with a new process and return its fault, or an empty string.

        Needs the exclusive lease.
        """
        return health.check(card.uuid, nvml=self._nvml, mps=card.mps).reason

    def close(self) -> None:
        """Wait for unfinished listings."""
        self._listing.shutdown()

    def _find(self, tool: Tool) -> tuple[str, tuple[Bind, ...]] | None:
        """Return the path of a tool inside its sandbox, and the bind mounts that the tool needs.

        Returns None if the tool is not installed.
        """
        name = tool.program
        if self._versions:  # an image has the tool in its PATH
            return f"{_IMAGE_PROGRAMS}/{name}", ()
        root = find_toolkit().root
        if tool is Tool.PROFILER:
            if (folder := profiler.installed(root)) is not None:
                return str(folder / name), (Bind(folder, str(folder)),)
        elif found := shutil.which(name) or shutil.which(name, path=root / "bin"):
            return found, ()
        return None


def _card(info: GpuInfo, runtime: Path, node: NodeSettings) -> Card:
    mps, shares = None, node.shares(info.memory_mib)
    if node.mps:
        mps = Mps(info.uuid, info.minor, runtime, client_memory_mib=shares.client_mib)
        mps.ensure()
    gpu = SandboxGpu(info.uuid, info.minor)  # time-sliced: there are no limits
    if mps is not None:
        gpu = replace(gpu, mps_directory=mps.pipe_directory, memory_mib=shares.program_mib)
    return Card(
        info.uuid,
        {
            "gpu": info.model,
            "gpu_uuid": info.uuid,
            "capability": ".".join(map(str, info.capability)),
            "driver": info.driver,
            "cuda": ".".join(map(str, info.cuda)),
            "sharing": "mps" if mps else "time-sliced",
        },
        mps,
        gpu,
        replace(gpu, memory_mib=0) if node.draws_in_mps else _beside_mps(gpu),
        most_mib=shares.most_mib,
        memory_mib=info.memory_mib,
    )


def _beside_mps(gpu: SandboxGpu) -> SandboxGpu:
    return replace(gpu, mps_directory=None, memory_mib=0)


def _oracle_limits() -> Limits:
    return replace(
        ORACLE_LIMITS,
        memory_mib=ORACLE_LIMITS.memory_mib + _CONTEXT_MIB,
        processes=_TASKS,
        descriptors=_DESCRIPTORS,
    )


def _calibrate(found: Sequence[GpuInfo], directory: Path, leases: Leases) -> Mapping[str, Calibration]:
    """Return the calibration of each card. Measures cards without one, under their exclusive lease."""
    calibrations = {}
    for info in found:
        known = load(directory, gpu_uuid=info.uuid, driver=info.driver)
        if known is None:
            try:
                with leases.acquire(info.uuid, Share.RANK, label="calibration"):
                    known = calibrated(directory, gpu_uuid=info.uuid, driver=info.driver)
            except CalibrationFailed as error:
                _log.warning("gpu_calibration_failed: %s: %s", info.uuid, error)
        if known is not None:
            calibrations[info.uuid] = known
    return calibrations


def _keep(compilation: Compilation, cache: BuiltCache, key: str, built: Built) -> Mapping[str, str]:
    """Wait for the listings of `built`, store the complete result in the cache, and return the listings."""
    with _closing(compilation):
        listings = compilation.listings()
        cache.put(key, replace(built, listings=listings))
        return listings


@contextmanager
def _closing(compilation: Compilation) -> Iterator[None]:
    try:
        yield
    finally:
        compilation.close()
