"""The console next to the verdict: the compiler's messages by line, and the resources of each kernel."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.evidence.launches import KernelLaunch, Size, parse_launches, plain_name
from judge.evidence.occupancy import Occupancy, occupancy
from judge.report import KernelResources, Report
from web.fleet.queries import capability_of

_PLACE = re.compile(r'solution\.cu\((\d{1,6})\)|solution\.cu:(\d{1,6})|File "solution\.py", line (\d{1,6})')
_TIMES = " \N{MULTIPLICATION SIGN} "
_NO_LIMIT = "warps"  # the multiprocessor already has the maximum number of warps
_ADVICE = {
    "registers": "Use fewer registers per thread or smaller blocks.",
    "shared memory": "Use less shared memory per block.",
    "blocks": "Use larger blocks: the number of blocks is at its limit.",
    "warps": "",
}


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the compiler's text. `place` is the part that names `number`, a line of the source."""

    before: str
    place: str = ""
    number: int = 0
    after: str = ""


@dataclass(frozen=True, slots=True)
class LaunchRow:
    """A launch configuration of a kernel. `grids` are the grids that it was launched with."""

    block: str
    dimensions: int
    threads: int
    shared_bytes: int
    grids: tuple[str, ...]
    occupancy: Occupancy | None

    @property
    def limited_by(self) -> str:
        """Return the resource that limits the number of warps, in words."""
        if self.occupancy is None:
            return "unknown"
        if self.occupancy.blocks and _NO_LIMIT in self.occupancy.limited_by:
            full = self.occupancy.warps == self.occupancy.max_warps
            return "nothing (full)" if full else "whole blocks of warps"
        return " and ".join(self.occupancy.limited_by)

    @property
    def advice(self) -> str:
        """Return advice on how to get more warps; empty if there is none."""
        if self.occupancy is None or _NO_LIMIT in self.occupancy.limited_by:
            return ""
        return _ADVICE[self.occupancy.limited_by[0]]


@dataclass(frozen=True, slots=True)
class KernelPanel:
    """A kernel with its resources, None if the compiler did not report them, and its launches."""

    name: str
    resources: KernelResources | None
    launches: tuple[LaunchRow, ...]


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources of a submission's kernels. `capability` is that of the GPU, empty if it is unknown.

    `others` are notes of launches in other forms, such as those of Triton, unchanged.
    """

    kernels: tuple[KernelPanel, ...]
    others: tuple[str, ...]
    capability: str

    @property
    def compiled(self) -> bool:
        """Return whether the compiler reported the resources."""
        return any(kernel.resources for kernel in self.kernels)


def log_lines(log: str) -> tuple[LogLine, ...]:
    """Return the compiler's text line by line, with the places that it names."""
    return tuple(_log_line(text) for text in log.rstrip("\n").split("\n")) if log.strip() else ()


def resources_of(report: Report) -> Resources | None:
    """Return the resources of the kernels of `report`, None if no kernel is known."""
    capability = _capability(report)
    shape = _parse_capability(capability)
    known = {plain_name(kernel.name): kernel for kernel in report.kernels}
    launched: dict[str, list[KernelLaunch]] = {}
    for launch in parse_launches(report.diagnostics):
        launched.setdefault(plain_name(launch.kernel), []).append(launch)
    panels = tuple(
        KernelPanel(
            known[name].name if name in known else name,
            known.get(name),
            _rows(launched.get(name, ()), known.get(name), shape),
        )
        for name in dict.fromkeys([*known, *launched])
    )
    others = _others(report)
    return Resources(panels, others, capability) if panels or others else None


def _rows(
    launches: Sequence[KernelLaunch], kernel: KernelResources | None, capability: tuple[int, int] | None
) -> tuple[LaunchRow, ...]:
    """Merge launches that differ only in their grids: a grid has no influence on occupancy."""
    alike: dict[tuple[Size, int], list[KernelLaunch]] = {}
    for launch in launches:
        static = kernel.shared_bytes if kernel else launch.static_bytes
        alike.setdefault((launch.block, static + launch.dynamic_bytes), []).append(launch)
    rows = []
    for (block, shared_bytes), found in alike.items():
        held = None
        if kernel and capability:
            held = occupancy(
                capability,
                registers=kernel.registers,
                shared_bytes=shared_bytes,
                threads=found[0].threads,
            )
        grids = tuple(dict.fromkeys(_size(launch.grid) for launch in found))
        shown = _size(block)
        dimensions = 1 + shown.count(_TIMES)
        rows.append(LaunchRow(shown, dimensions, found[0].threads, shared_bytes, grids, held))
    return tuple(rows)


def _others(report: Report) -> tuple[str, ...]:
    notes = [entry for entry in report.diagnostics if entry.kind == "launch"]
    return tuple(dict.fromkeys(entry.message for entry in notes if not parse_launches([entry])))


def _size(size: tuple[int, int, int]) -> str:
    """Return the extents, joined by multiplication signs, without trailing extents of 1."""
    shown = list(size)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return _TIMES.join(f"{extent:,}" for extent in shown)


def _capability(report: Report) -> str:
    """Return the capability in the report's stamp; without one, that of GPUs of the same model."""
    stamp: Mapping[str, str] = report.environment
    return stamp.get("capability") or (capability_of(stamp["gpu"]) if stamp.get("gpu") else "")


def _parse_capability(text: str) -> tuple[int, int] | None:
    major, _, minor = text.partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


def _log_line(text: str) -> LogLine:
    match = _PLACE.search(text)
    if match is None:
        return LogLine(text)
    number = int(next(group for group in match.groups() if group))
    return LogLine(text[: match.start()], match[0], number, text[match.end() :])
