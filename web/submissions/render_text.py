"""Formats the figures of a report for a terminal."""

from collections.abc import Sequence

from judge.counters import counter_name
from judge.report import CaseReport, KernelResources, Report, RequirementReport, Timing
from judge.requirements import bound_text, figure_text
from problems.vocabulary import RequirementState
from web.site.figures import NONE, attempts_note, clocks, host_code_note, interval, microseconds
from web.site.profile import profile_page

_TIMING = ("case", "time", "95 % interval", "calls", "roofline", "SM / memory")
_REQUIREMENTS = ("requirement", "state", "measured", "bound", "line")
_KERNELS = ("kernel", "registers", "shared", "stack", "spill stores", "spill loads")
_LAUNCHES = ("launch", "time", "memory", "compute", "mostly waits for")
_LINES = ("line", "samples", "mostly waits for")
_NAME_CHARACTERS = 48


def render_figures(report: Report) -> list[str]:
    """Return requirements, scores, time of each timed case and resources of each kernel, if there are any."""
    lines = _requirements(report)
    if note := attempts_note(report):
        lines += ["", note]
    if report.score:
        lines += ["", f"score {microseconds(report.score.median_us)}, 95 % interval {interval(report.score)}"]
    if report.checker_score is not None:
        lines += ["", f"checker's score {report.checker_score:.6g}"]
    timed = [_timing_row(case, case.timing) for case in report.cases if case.timing]
    if timed:
        lines += ["", *_table([_TIMING, *timed])]
    if note := host_code_note(report):
        lines += ["", note]
    if report.kernels:
        lines += ["", *_table([_KERNELS, *(_kernel_row(kernel) for kernel in report.kernels)])]
    return lines + _profile(report)


def _requirements(report: Report) -> list[str]:
    """Return a table of the requirements, and what to do about those that are missed."""
    if not report.requirements:
        return []
    table = _table([_REQUIREMENTS, *map(_requirement_row, report.requirements)])
    missed = (entry for entry in report.requirements if entry.state is RequirementState.MISSED)
    advice = [f"  {counter_name(entry.counter)}: {entry.explanation}" for entry in missed]
    return ["", *table, *advice]


def _requirement_row(entry: RequirementReport) -> tuple[str, ...]:
    return (
        counter_name(entry.counter),
        entry.state.value,
        NONE if entry.measured is None else figure_text(entry.measured),
        bound_text(entry.relation, entry.bound),
        str(entry.line or entry.call or NONE),
    )


def _profile(report: Report) -> list[str]:
    if report.profile is None:
        return []
    page = profile_page(report.profile)
    if page.missing:
        return ["", f"no profile: {page.missing}"]
    launches = [
        (
            f"{_shortened(launch.kernel)} {launch.grid} {launch.block}",
            NONE if launch.duration_us is None else microseconds(launch.duration_us),
            _percent(launch.memory_percent),
            _percent(launch.compute_percent),
            launch.stalls[0].reason if launch.stalls else NONE,
        )
        for launch in page.launches
    ]
    sampled = [(str(line.number), _percent(line.percent), line.reason or NONE) for line in page.lines]
    found = ["", *_table([_LAUNCHES, *launches])]
    return [*found, "", *_table([_LINES, *sampled])] if sampled else found


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value:.0f} %"


def _shortened(name: str) -> str:
    if len(name) <= _NAME_CHARACTERS:
        return name
    return f"{name[: _NAME_CHARACTERS - 1]}\N{HORIZONTAL ELLIPSIS}"


def _timing_row(case: CaseReport, timing: Timing) -> tuple[str, ...]:
    percent = timing.roofline_percent
    return (
        case.name,
        microseconds(timing.median_us),
        interval(timing),
        str(timing.repetitions),
        NONE if percent is None else f"{percent:.0f} %",
        clocks(timing),
    )


def _kernel_row(kernel: KernelResources) -> tuple[str, ...]:
    return (
        _shortened(kernel.name),
        str(kernel.registers),
        f"{kernel.shared_bytes} B",
        f"{kernel.stack_bytes} B",
        f"{kernel.spill_store_bytes} B",
        f"{kernel.spill_load_bytes} B",
    )


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned columns: the first to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  " + "  ".join(cells))
    return lines
