"""The result of judging a submission: value types only. `judge.report_json` is the stored form."""

import re
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from problems.schema import Case
from problems.vocabulary import (
    Counter,
    Group,
    ProgramKind,
    Relation,
    RequirementState,
    Severity,
    Step,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One element that is out of tolerance. `index` has one entry per dimension."""

    argument: str
    index: tuple[int, ...]
    expected: str
    got: str
    absolute_error: float | None
    relative_error: float | None


@dataclass(frozen=True, slots=True)
class WrongOutput:
    """An output with wrong elements: how many elements it has, and how many of them are wrong."""

    argument: str
    checked: int
    mismatched: int


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """The part of an output of a public case that a run shows.

    `corner` is the number of rows and columns of the first elements. `values` and `expected` are the texts of
    these elements, row by row, and `wrong` has the positions of wrong ones. `expected` is empty if the
    author's checker compares. `worst` is the wrong element with the largest error. `grid` is the number of
    rows and columns of a map of the whole output. `counts` is the number of wrong elements in each of its
    cells, empty if none is wrong.
    """

    argument: str
    shape: tuple[int, ...]
    corner: tuple[int, int]
    values: tuple[str, ...]
    expected: tuple[str, ...]
    wrong: tuple[int, ...]
    worst: Mismatch | None
    grid: tuple[int, int]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownInput:
    """The part of an input of a public case that a run shows. `values` has the first elements.

    A scalar has an empty shape and one value.
    """

    argument: str
    shape: tuple[int, ...]
    corner: tuple[int, int]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding about the program, for its author. The text comes from a child process, bounded and cleaned.

    `kind` is a DiagnosticKind, or another word from a runner. `line` is the line of the submission's source,
    from 1, or None if unknown. `array` is the argument in question. `hidden` says that a hidden case had
    begun before the finding, see `judge.redaction`.
    """

    severity: Severity
    kind: str
    message: str
    kernel: str | None = None
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    line: int | None = None
    array: str | None = None
    hidden: bool = False

    @property
    def text(self) -> str:
        """Its message, with its line unless the line is unknown or the message already has it."""
        return self.message if self.says_line else f"line {self.line}: {self.message}"

    @property
    def says_line(self) -> bool:
        """Whether its message names its line, or the line is unknown."""
        return not self.line or re.search(rf"\bline {self.line}\b", self.message) is not None


@dataclass(frozen=True, slots=True)
class Placement:
    """Position of a timed case under the roofline of the GPU that ran it.

    `intensity` is the number of operations per byte by the problem's formulas. `bytes_per_s` is the rate at
    which the program moved the bytes of the formula. `peak_bytes_per_s` and, in the dtype of the problem,
    `peak_operations_per_s` are the measured rates of the GPU.
    """

    intensity: float
    bytes_per_s: float
    peak_bytes_per_s: float
    peak_operations_per_s: float


@dataclass(frozen=True, slots=True)
class Timing:
    """The trusted clock's result for one timed case. Times are microseconds for one call.

    The ranked time is `median_us`: the median of the best of three single calls (`judge.clock.estimate`). A
    call lasts from the release of the GPU to the last change of the outputs, or longer if the program worked
    after that (`judge.clock.calls`). `low_us` to `high_us` is its 95 % interval, and `repetitions` the number
    of calls. `queued` says that calls were queued ahead; otherwise the time includes host code. `floor_us` is
    the least time for the memory traffic or the arithmetic on this GPU, and `roofline_percent` = 100 * floor
    / median. If the GPU is calibrated, `placement` has the underlying figures. Clocks are in MHz, temperature
    in degrees Celsius, power in watts, None if NVML does not report them. `discarded` is the number of blocks
    of calls that were discarded because the GPU was disturbed. `remarkable` says that the time beats the
    measured rates of the GPU by more than the error of such measurements.
    """

    median_us: float
    low_us: float
    high_us: float
    repetitions: int
    queued: bool = True
    floor_us: float | None = None
    roofline_percent: float | None = None
    sm_mhz: int | None = None
    memory_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    discarded: int = 0
    placement: Placement | None = None
    remarkable: bool = False


@dataclass(frozen=True, slots=True)
class KernelResources:
    """Resources of one kernel by the compiler: registers and stack bytes per thread, the rest in bytes."""

    name: str
    registers: int
    shared_bytes: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    constant_bytes: int = 0


@dataclass(frozen=True, slots=True)
class KernelProfile:
    """The hardware counters of one launch. `sandbox.gpu.profiler.METRICS` names the metrics."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LineProfile:
    """The hardware counters of one line of the source, summed over launches: samples, instructions."""

    line: int
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class InstructionProfile:
    """The hardware counters of one instruction (SASS), summed over launches.

    `line` is the line of the source.
    """

    line: int
    text: str
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a run: its first launches in order, and the lines of the source that have figures.

    `instructions` are those of the lines, by line and then in the order of the code. `missing` tells the user
    why there is no profile; empty if there is one. `report_missing` does the same for the report of Nsight
    Compute.
    """

    launches: tuple[KernelProfile, ...] = ()
    lines: tuple[LineProfile, ...] = ()
    missing: str = ""
    report_missing: str = ""
    instructions: tuple[InstructionProfile, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """The ranked figure of a submission: the geometric mean of its timed cases' medians, microseconds.

    `low_us` to `high_us` is its 95 % interval; submissions whose intervals overlap tie.
    """

    median_us: float
    low_us: float
    high_us: float


@dataclass(frozen=True, slots=True)
class CaseReport:
    """The outcome of one case. `wall_ms` is measured by the referee's clock and never ranks.

    `scalars` are the texts of scalars that were drawn or given for this case. Only timed cases that the
    trusted clock measured on a GPU have a `timing`. `told_after` says that a hidden case had begun before in
    the same process, see `judge.redaction`. Only public cases of runs have `inputs` and `outputs`. In
    problems that ask for tests, `program` is the kind of the program under test, and the verdict says whether
    the tests judged it correctly; see `judge.kills`. `checker_score` is the checker's score if all outputs
    are right. `checked` and `mismatched` count elements of all outputs, `wrong_outputs` those of each wrong
    output; older reports have no `wrong_outputs`. `rule` is the sentence of the package on the rule that a
    whole answer breaks; then no elements are counted.
    """

    name: str
    group: Group
    public: bool
    verdict: Verdict
    message: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    scalars: Mapping[str, str] = field(default_factory=dict)
    wall_ms: float | None = None
    checked: int = 0
    mismatched: int = 0
    mismatches: tuple[Mismatch, ...] = ()
    timing: Timing | None = None
    told_after: bool = False
    outputs: tuple[ShownOutput, ...] = ()
    inputs: tuple[ShownInput, ...] = ()
    program: ProgramKind | None = None
    checker_score: float | None = None
    wrong_outputs: tuple[WrongOutput, ...] = ()
    rule: str = ""

    @property
    def wrong_shares(self) -> Mapping[str, float]:
        """The share of wrong elements of each wrong output, with three digits. Empty for older reports.

        If the whole answer breaks a rule, the rule is the only entry.
        """
        if self.rule:
            return {self.rule: 1.0}
        return {
            output.argument: float(f"{output.mismatched / output.checked:.3g}")
            for output in self.wrong_outputs
        }


@dataclass(frozen=True, slots=True)
class RequirementReport:
    """Whether and how a program meets a requirement of its problem.

    `measured` is the worst figure of all cases. If it belongs to a hidden case, it is rounded, and `case` is
    empty. It is None if nothing was counted, or if `message` says why there is no figure. If the figure
    misses the bound, `line` is the line that contributes most to it. If the figure counts calls, `call` is
    the function of the CUDA runtime that contributes most.
    """

    counter: Counter
    relation: Relation
    bound: float
    explanation: str
    state: RequirementState = RequirementState.UNCHECKED
    measured: float | None = None
    case: str = ""
    line: int | None = None
    message: str = ""
    call: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """How a program used memory in the public case `case`, packed by `judge.replay.packed`."""

    case: str
    packed: bytes


@dataclass(frozen=True, slots=True)
class StageTime:
    """Time that one stage took, in milliseconds. `name` is a Stage, or was one in an older version."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class Report:
    """The whole outcome. `environment` stamps the target, toolchain and versions that produced it.

    `message` is public: if a hidden case decided the verdict, it reveals nothing of that case. Cases and
    diagnostics are for users who may see hidden cases; `judge.redaction` makes the version for others.

    `log` is the compiler's output, and `output` is the program's output on public cases; both are bounded.
    There is a `score` only if the trusted clock measured every timed case on a GPU. `kernels` and `listings`
    (`ptx`, `sass`) come from the compiler and are bounded. `attempts` is the number of runs; it exceeds one
    if another program disturbed the first run. `requirements` has one entry for each requirement of the
    problem, if all cases were accepted. Runs that requested a profile have a `profile`. `checker_score` is
    the mean over the cases that count (see `judge.scoring`), if the program is accepted and the problem has
    such a score. Runs of CUDA programs in functional mode have a `replay`. `profile_report` is the file of
    Nsight Compute from a run with a profile: untrusted bytes from the sandbox, which Warpcourt never parses.
    The JSON contains neither `replay` nor `profile_report`.
    """

    verdict: Verdict
    message: str = ""
    stages: tuple[StageTime, ...] = ()
    cases: tuple[CaseReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    log: str = ""
    output: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    score: Score | None = None
    kernels: tuple[KernelResources, ...] = ()
    listings: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 1
    requirements: tuple[RequirementReport, ...] = ()
    profile: Profile | None = None
    checker_score: float | None = None
    replay: Replay | None = None
    profile_report: bytes | None = None

    @property
    def ranked(self) -> bool:
        """Whether the report has a ranked figure."""
        return self.score is not None


@dataclass(frozen=True, slots=True)
class FreshReport(Report):
    """The report of a judgement that has just ended.

    Listings may not be finished yet: `later` provides them.
    """

    later: Future[Mapping[str, str]] | None = field(default=None, repr=False, compare=False)

    def with_listings(self, patience_s: float = 1.0) -> "FreshReport":
        """Return the report with the listings that are finished after `patience_s` seconds."""
        if self.later is None:
            return self
        try:
            return replace(self, listings=self.later.result(patience_s), later=None)
        except Exception:  # noqa: BLE001 - no verdict depends on a listing, whatever went wrong with it
            return replace(self, later=None)


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """A step worth showing while judging.

    `index` of `total` counts the cases of `CASE` and `TIMING`, and the programs of a proof.
    """

    kind: Step
    text: str
    index: int | None = None
    total: int | None = None


def own_scalars(case: Case) -> dict[str, str]:
    """Return the texts of the scalars that were drawn or given for `case`."""
    return {
        name: f"{value:.9g}" if isinstance(value, float) else str(value)
        for name, value in case.scalars.items()
    }
