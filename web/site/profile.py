"""The contents of a profile's page: bars of throughput, figures, and the reasons why warps waited.

Two profiles are compared launch by launch: the k-th launch of a kernel with the k-th of the same kernel.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, zip_longest

from judge.report import InstructionProfile, KernelProfile, Profile

_MOST_STALLS = 4
_MOST_LINES = 12
_LOW, _CLEAR = 60.0, 10.0  # percent of the peak; the first is the rule of Nsight Compute's own guide
_STALL = "stall_"
_ISSUED = {"selected"}  # the warp issued an instruction, so it did not wait

# The reason why a warp waits, by Nsight Compute's name of the stall.
STALLS: Mapping[str, str] = {
    "barrier": "a barrier",
    "branch_resolving": "the target of a branch",
    "dispatch_stall": "the dispatcher",
    "drain": "its last stores, before it exits",
    "imc_miss": "constants that are not in the cache",
    "lg_throttle": "the queue of global and local accesses",
    "long_scoreboard": "global, local or texture memory",
    "math_pipe_throttle": "a busy arithmetic unit",
    "membar": "a memory fence",
    "mio_throttle": "the queue of shared memory and special functions",
    "misc": "other reasons",
    "no_instruction": "instructions that are not in the cache",
    "not_selected": "its turn, because another warp was ready",
    "short_scoreboard": "shared memory or special functions",
    "sleeping": "nanosleep",
    "tex_throttle": "the queue of texture accesses",
    "wait": "the latency of its own instructions",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its unit, as text, and as a number. `note` explains it."""

    label: str
    value: str
    amount: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Stall:
    """The percentage of the time between two instructions of a warp in which it waits for one reason."""

    reason: str
    percent: float


@dataclass(frozen=True, slots=True)
class LaunchProfile:
    """One launch. `memory_percent` and `compute_percent` are shares of the peak of the GPU."""

    kernel: str
    grid: str
    block: str
    duration_us: float | None
    memory_percent: float | None
    compute_percent: float | None
    summary: str
    figures: tuple[Figure, ...]
    stalls: tuple[Stall, ...]


@dataclass(frozen=True, slots=True)
class SampledLine:
    """A line of the source, its share of all samples in percent, and what its warps mostly wait for."""

    number: int
    percent: float
    instructions: int
    reason: str


@dataclass(frozen=True, slots=True)
class SampledInstruction:
    """An instruction (SASS), its share of all samples in percent, and what its warps mostly wait for.

    `executed` counts warps. `sectors` of global memory and `wavefronts` of shared memory are texts such as
    "128, 96 too many"; empty if there are none.
    """

    text: str
    percent: float
    executed: int
    reason: str
    sectors: str
    wavefronts: str


@dataclass(frozen=True, slots=True)
class SampledCode:
    """A line of the source with its text and the instructions that were compiled from it."""

    number: int
    text: str
    instructions: tuple[SampledInstruction, ...]


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """The launches in order, and the lines with the most samples. `missing` says why there is none.

    `code` has the lines whose instructions are known, in their order.
    """

    launches: tuple[LaunchProfile, ...]
    lines: tuple[SampledLine, ...]
    missing: str
    code: tuple[SampledCode, ...] = ()


@dataclass(frozen=True, slots=True)
class FigurePair:
    """A figure in two profiles, and the change in percent of the old one, as text. Empty if there is none."""

    label: str
    old: str
    new: str
    change: str
    note: str


@dataclass(frozen=True, slots=True)
class LaunchPair:
    """The same launch in two profiles. `missing` says in which of them it does not occur."""

    kernel: str
    figures: tuple[FigurePair, ...]
    missing: str = ""


def compare_profiles(old: Profile, new: Profile) -> tuple[LaunchPair, ...]:
    """Return the launches of two profiles in pairs, in the order of `new`, then those of `old` alone.

    Two profiles with one launch each are one pair, regardless of the names of the kernels.
    """
    if len(old.launches) == len(new.launches) == 1:
        return (_pair(old.launches[0], new.launches[0]),)
    return tuple(_pairs(old, new))


def _pairs(old: Profile, new: Profile) -> Iterator[LaunchPair]:
    by_kernel: dict[str, tuple[list[KernelProfile], list[KernelProfile]]] = defaultdict(lambda: ([], []))
    for side, profile in ((1, new), (0, old)):
        for launch in profile.launches:
            by_kernel[launch.kernel][side].append(launch)
    for kernel, (before, after) in by_kernel.items():
        for one, other in zip_longest(before, after):
            if one and other:
                yield _pair(one, other)
            else:
                yield LaunchPair(kernel, (), "new" if one else "old")


def _pair(old: KernelProfile, new: KernelProfile) -> LaunchPair:
    before, after = ({figure.label: figure for figure in _all_figures(one.metrics)} for one in (old, new))
    labels = [*after, *(label for label in before if label not in after)]
    figures = tuple(_figure_pair(label, before.get(label), after.get(label)) for label in labels)
    return LaunchPair(new.kernel, figures)


def _all_figures(metrics: Mapping[str, float]) -> list[Figure]:
    """Return all figures, including those that the page of one profile shows as bars."""
    first = [
        _figure("Duration", metrics, "duration_ns", "in nanoseconds, with empty caches", "{:,.0f}"),
        _percent("Memory throughput", metrics, "memory_throughput_percent", "of the peak"),
        _percent("Compute throughput", metrics, "compute_throughput_percent", "of the peak"),
    ]
    return [figure for figure in first if figure is not None] + _figures(metrics)


def _figure_pair(label: str, old: Figure | None, new: Figure | None) -> FigurePair:
    shown = new or old
    change = f"{100 * (new.amount / old.amount - 1):+.0f} %" if old and new and old.amount else ""
    return FigurePair(
        label,
        old.value if old else "",
        new.value if new else "",
        change.replace("-", "\N{MINUS SIGN}"),
        shown.note if shown else "",
    )


def profile_page(profile: Profile, source: str = "") -> ProfilePage:
    """Return the contents of the page of `profile`. `source` is the profiled program."""
    launches = tuple(map(_launch, profile.launches))
    return ProfilePage(launches, _lines(profile), profile.missing, tuple(_code(profile, source)))


def _launch(launch: KernelProfile) -> LaunchProfile:
    metrics = launch.metrics
    duration_ns = metrics.get("duration_ns")
    memory, compute = metrics.get("memory_throughput_percent"), metrics.get("compute_throughput_percent")
    return LaunchProfile(
        kernel=launch.kernel,
        grid=_text_of(launch.grid),
        block=_text_of(launch.block),
        duration_us=duration_ns / 1000 if duration_ns is not None else None,
        memory_percent=memory,
        compute_percent=compute,
        summary=_summary(memory, compute),
        figures=tuple(_figures(metrics)),
        stalls=_stalls(metrics),
    )


def _text_of(dimensions: tuple[int, int, int]) -> str:
    """Return the dimensions without ones at the end, such as (16, 16)."""
    kept = list(dimensions)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return f"({', '.join(map(str, kept))})"


def _summary(memory: float | None, compute: float | None) -> str:
    """Return one sentence that says what limits the launch, or an empty string if that is unknown."""
    if memory is None or compute is None:
        return ""
    if max(memory, compute) < _LOW:
        return "Neither memory nor arithmetic is busy. The launch is too small, or its warps wait."
    if memory > compute + _CLEAR:
        return "Memory limits the launch. Move fewer bytes, or reuse loaded data."
    if compute > memory + _CLEAR:
        return "Arithmetic limits the launch. Execute fewer instructions, or use faster units."
    return "Memory and arithmetic are about equally busy."


def _figures(metrics: Mapping[str, float]) -> list[Figure]:
    found = [
        _percent("Device memory", metrics, "dram_throughput_percent", "of its peak bandwidth"),
        _bytes("Read from device memory", metrics, "dram_read_bytes"),
        _bytes("Written to device memory", metrics, "dram_write_bytes"),
        _percent("L1 hits", metrics, "l1_hit_percent", "of the requested sectors"),
        _percent("L2 hits", metrics, "l2_hit_percent", "of the requested sectors"),
        _ratio(
            "Sectors per global load",
            metrics,
            "global_load_sectors",
            "global_load_requests",
            "4 is ideal for 4-byte values",
        ),
        _ratio(
            "Sectors per global store",
            metrics,
            "global_store_sectors",
            "global_store_requests",
            "4 is ideal for 4-byte values",
        ),
        _ratio(
            "Sectors per texture fetch",
            metrics,
            "texture_sectors",
            "texture_requests",
            "fewer if the texels of a warp are close together",
        ),
        _ratio(
            "Wavefronts per shared load",
            metrics,
            "shared_load_wavefronts",
            "shared_load_requests",
            "1 means no bank conflict",
        ),
        _ratio(
            "Wavefronts per shared store",
            metrics,
            "shared_store_wavefronts",
            "shared_store_requests",
            "1 means no bank conflict",
        ),
        _percent(
            "Achieved occupancy", metrics, "occupancy_percent", "of the warps that a multiprocessor can hold"
        ),
        _percent(
            "Theoretical occupancy",
            metrics,
            "theoretical_occupancy_percent",
            "with this block size and this use of registers and shared memory",
        ),
        _count("Registers", metrics, "registers_per_thread", "per thread"),
        _figure("Active lanes", metrics, "lanes_per_instruction", "of 32, per instruction", "{:.1f}"),
        _percent("Uniform branches", metrics, "uniform_branch_percent", "of the branch targets"),
        _count("Warp instructions", metrics, "warp_instructions", ""),
        _spills(metrics),
    ]
    return [figure for figure in found if figure is not None]


def _percent(label: str, metrics: Mapping[str, float], name: str, note: str) -> Figure | None:
    return _figure(label, metrics, name, note, "{:.0f} %")


def _figure(label: str, metrics: Mapping[str, float], name: str, note: str, form: str) -> Figure | None:
    value = metrics.get(name)
    return None if value is None else Figure(label, form.format(value), value, note)


def _count(label: str, metrics: Mapping[str, float], name: str, note: str) -> Figure | None:
    value = metrics.get(name)
    return None if not value else Figure(label, f"{value:,.0f}", value, note)


def _bytes(label: str, metrics: Mapping[str, float], name: str) -> Figure | None:
    value = metrics.get(name)
    if value is None:
        return None
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= size:
            return Figure(label, f"{value / size:.1f} {unit}", value)
    return Figure(label, f"{value:.0f} bytes", value)


def _ratio(label: str, metrics: Mapping[str, float], above: str, below: str, note: str) -> Figure | None:
    if not metrics.get(below):
        return None
    ratio = metrics.get(above, 0.0) / metrics[below]
    return Figure(label, f"{ratio:.2f}", ratio, note)


def _spills(metrics: Mapping[str, float]) -> Figure | None:
    sectors = metrics.get("local_load_sectors", 0.0) + metrics.get("local_store_sectors", 0.0)
    return (
        Figure("Local memory", f"{sectors:,.0f}", sectors, "sectors: spilled registers and local arrays")
        if sectors
        else None
    )


def _stalls(metrics: Mapping[str, float]) -> tuple[Stall, ...]:
    """Return the longest waits, as shares of the time between two instructions of a warp."""
    waits = {
        name.removeprefix(_STALL): cycles
        for name, cycles in metrics.items()
        if name.startswith(_STALL) and cycles > 0
    }
    total = sum(waits.values())
    found = [
        Stall(STALLS.get(name, name), 100 * cycles / total)
        for name, cycles in sorted(waits.items(), key=lambda entry: -entry[1])
        if name not in _ISSUED
    ]
    return tuple(stall for stall in found[:_MOST_STALLS] if stall.percent >= 1)


def _code(profile: Profile, source: str) -> Iterator[SampledCode]:
    total = _samples(profile)
    if not total:
        return
    texts = source.split("\n")
    for number, instructions in groupby(profile.instructions, key=lambda one: one.line):
        yield SampledCode(
            number,
            texts[number - 1].strip() if 0 < number <= len(texts) else "",
            tuple(_instruction(one, total) for one in instructions),
        )


def _instruction(found: InstructionProfile, total: float) -> SampledInstruction:
    metrics = found.metrics
    return SampledInstruction(
        text=found.text,
        percent=100 * metrics.get("samples", 0.0) / total,
        executed=int(metrics.get("instructions", 0.0)),
        reason=next((stall.reason for stall in _stalls(metrics)), ""),
        sectors=_excess(metrics, "global_sectors"),
        wavefronts=_excess(metrics, "shared_wavefronts"),
    )


def _excess(metrics: Mapping[str, float], name: str) -> str:
    """Return the figure `name`, with what a better access pattern would save."""
    amount, saved = metrics.get(name, 0.0), metrics.get(f"{name}_excessive", 0.0)
    if not amount:
        return ""
    return f"{amount:,.0f}, {saved:,.0f} too many" if saved else f"{amount:,.0f}"


def _samples(profile: Profile) -> float:
    return sum(line.metrics.get("samples", 0.0) for line in profile.lines)


def _lines(profile: Profile) -> tuple[SampledLine, ...]:
    total = _samples(profile)
    if not total:
        return ()
    found = [
        SampledLine(
            line.line,
            100 * line.metrics.get("samples", 0.0) / total,
            int(line.metrics.get("instructions", 0.0)),
            next((stall.reason for stall in _stalls(line.metrics)), ""),
        )
        for line in profile.lines
    ]
    found.sort(key=lambda line: -line.percent)
    return tuple(line for line in found[:_MOST_LINES] if line.percent >= 1)
