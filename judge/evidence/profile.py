"""Parses the output of Nsight Compute. The program prints to the same stream, so the text is hostile.

`sandbox.gpu.profiler` makes ncu print two sections of CSV after the program has ended. The first has a row of
names, a row of units, and then a row for each profiled launch. The second has a table for each launch, with a
row for each line of the source and for each instruction. A program can forge its profile, but no ranking
depends on it.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from judge.evidence.diagnostics import clean
from judge.report import InstructionProfile, KernelProfile, LineProfile, Profile
from sandbox.gpu.profiler import LAUNCHES, METRICS, RAW, SECTION, SOURCE

MAX_BYTES = 4 * 1024 * 1024
MAX_LINES = 400  # of the source; lines with the most samples are kept
MAX_INSTRUCTIONS = 400  # those with the most samples are kept
_TEXT_CHARACTERS = 120  # of an instruction
_NAME_CHARACTERS = 200
_MOST_NUMBER = 2.0**53  # larger numbers are forged, and their sums could be infinite
_OURS_KERNEL = "warpcourt_"  # kernels of the runner
_MESSAGES = ("==PROF==", "==WARNING==", "==ERROR==")
_NO_PERMISSION = "ERR_NVGPUCTRPERM"
_OURS = {theirs: ours for ours, theirs in METRICS.items()}
_DIMENSIONS = re.compile(r"\(?\s*(\d{1,10}),\s*(\d{1,10}),\s*(\d{1,10})\s*\)?")
_LINE = "Line No"
_TEXT = "Source"
_COLUMNS: Mapping[str, str] = {
    "# Samples": "samples",
    "Instructions Executed": "instructions",
    "L1 Wavefronts Shared": "shared_wavefronts",
    "L1 Wavefronts Shared Excessive": "shared_wavefronts_excessive",
    "L2 Theoretical Sectors Global": "global_sectors",
    "L2 Theoretical Sectors Global Excessive": "global_sectors_excessive",
    # Samples in which the warp was stalled, by reason.
    "stall_barrier": "stall_barrier",
    "stall_branch_resolving": "stall_branch_resolving",
    "stall_dispatch": "stall_dispatch_stall",
    "stall_drain": "stall_drain",
    "stall_imc": "stall_imc_miss",
    "stall_lg": "stall_lg_throttle",
    "stall_long_sb": "stall_long_scoreboard",
    "stall_math": "stall_math_pipe_throttle",
    "stall_membar": "stall_membar",
    "stall_mio": "stall_mio_throttle",
    "stall_misc": "stall_misc",
    "stall_no_inst": "stall_no_instruction",
    "stall_not_selected": "stall_not_selected",
    "stall_selected": "stall_selected",
    "stall_short_sb": "stall_short_scoreboard",
    "stall_sleep": "stall_sleeping",
    "stall_tex": "stall_tex_throttle",
    "stall_wait": "stall_wait",
}
_Place = tuple[int, int, str]  # the line, the position below it, and the text of an instruction
_Key = TypeVar("_Key")
_STALL = "stall_"
_ISSUED = "stall_selected"  # the warp did not wait


class ProfileMissing(Exception):
    """Raised if the output contains no profile. The message tells the user why."""


def read_profile(output: bytes) -> Profile:
    """Parse the profile in the joint output of the program and ncu. Raises ProfileMissing."""
    text = output[:MAX_BYTES].decode("utf-8", "replace")
    sections = _sections(text)
    if RAW not in sections:
        raise ProfileMissing("Nsight Compute wrote no profile. The program ended before it did.")
    launches = tuple(read_launches(sections[RAW], _OURS, most=LAUNCHES))
    if not launches:
        if _NO_PERMISSION in text:
            raise ProfileMissing(
                "The GPU's hardware counters are not accessible. An administrator must load the driver with "
                "NVreg_RestrictProfilingToAdminUsers=0."
            )
        raise ProfileMissing("Nsight Compute found no kernel to profile.")
    lines, instructions = _lines(sections.get(SOURCE, ()))
    return Profile(launches, lines, instructions=instructions)


def program_output(output: bytes) -> bytes:
    """Return the output of the program, without that of ncu."""
    own = output.partition(f"\n{SECTION}".encode())[0]
    kept = (line for line in own.split(b"\n") if not line.startswith(tuple(map(str.encode, _MESSAGES))))
    return b"\n".join(kept)


def _sections(text: str) -> dict[str, list[str]]:
    """Return the lines of each section by name. If a name occurs more than once, its last section counts."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.split("\n"):
        if line.startswith(SECTION):
            current = found[line.removeprefix(SECTION).strip()] = []
        elif current is not None and not line.startswith(_MESSAGES):
            current.append(line)
    return found


def read_launches(lines: Sequence[str], names_of: Mapping[str, str], *, most: int) -> Iterator[KernelProfile]:
    """Yield the first `most` launches in the raw page of ncu, as CSV in base units.

    `names_of` gives our name of each metric of ncu. The profiles contain only metrics that are numbers.
    """
    rows = _rows(lines)
    names = next((row for row in rows if "Kernel Name" in row), None)
    if names is None:
        return
    next(rows, None)  # units: always base units
    for _, row in zip(range(most), rows, strict=False):
        cells = dict(zip(names, row, strict=False))
        if cells.get("Kernel Name", "").startswith(_OURS_KERNEL):
            continue
        metrics = {
            names_of[name]: number
            for name, cell in cells.items()
            if name in names_of and (number := _number(cell)) is not None
        }
        yield KernelProfile(
            kernel=clean(cells.get("Kernel Name", ""), _NAME_CHARACTERS),
            grid=_dimensions(cells.get("Grid Size", "")),
            block=_dimensions(cells.get("Block Size", "")),
            metrics=metrics,
        )


def _lines(lines: Sequence[str]) -> tuple[tuple[LineProfile, ...], tuple[InstructionProfile, ...]]:
    """Return sums over all launches, by line of the source and by instruction.

    The row of an instruction follows the row of its line. Rows of two launches belong to the same instruction
    if their position below the line and their text are equal.
    """
    sums: dict[int, dict[str, float]] = {}
    below: dict[_Place, dict[str, float]] = {}
    names: list[str] = []
    line, place = 0, 0
    for row in _rows(lines):
        if _LINE in row:
            names, line = row, 0
        elif names:
            cells = dict(zip(names, row, strict=False))
            if cells.get(_LINE):
                number = _number(cells[_LINE])
                line, place = (int(number), 0) if number is not None and 1 <= number < 2**31 else (0, 0)
                if line:
                    _add(cells, sums, line)
            elif line and cells.get(_TEXT):
                place += 1
                _add(cells, below, (line, place, clean(cells[_TEXT].strip(), _TEXT_CHARACTERS)))
    found = [LineProfile(line, dict(figures)) for line, figures in sums.items()]
    found.sort(key=lambda entry: -entry.metrics.get("samples", 0.0))
    return tuple(sorted(found[:MAX_LINES], key=lambda entry: entry.line)), _instructions(below)


def _add(cells: Mapping[str, str], sums: dict[_Key, dict[str, float]], key: _Key) -> None:
    """Add the figures of a row to those of `key`. Figures of 0 are left out."""
    for name, cell in cells.items():
        if (ours := _COLUMNS.get(name)) and (number := _number(cell)):
            figures = sums.setdefault(key, defaultdict(float))
            figures[ours] += number


def _instructions(sums: Mapping[_Place, Mapping[str, float]]) -> tuple[InstructionProfile, ...]:
    """Return the instructions with the most samples, in the order of their positions.

    Each keeps only its longest stall.
    """
    most = sorted(sums, key=lambda place: -sums[place].get("samples", 0.0))[:MAX_INSTRUCTIONS]
    return tuple(
        InstructionProfile(line, text, _short(sums[line, place, text])) for line, place, text in sorted(most)
    )


def _short(figures: Mapping[str, float]) -> dict[str, float]:
    stalls = {name for name in figures if name.startswith(_STALL)}
    longest = max(stalls - {_ISSUED}, key=lambda name: figures[name], default=None)
    return {name: figures[name] for name in figures if name not in stalls or name == longest}


def _rows(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield rows of CSV until a line is not CSV."""
    try:
        yield from csv.reader(lines, strict=False)
    except csv.Error:
        return


def _dimensions(text: str) -> tuple[int, int, int]:
    match = _DIMENSIONS.match(text)
    if match is None:
        return 0, 0, 0
    x, y, z = (min(int(word), 2**32 - 1) for word in match.groups())
    return x, y, z


def _number(text: str) -> float | None:
    if not 0 < len(text) <= 40:
        return None
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return number if abs(number) <= _MOST_NUMBER else None  # NaN fails too
