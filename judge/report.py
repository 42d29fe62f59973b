"""The result of judging a submission: value types only. `judge.report_json` is the stored form."""

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
class ShownOutput:
    """What a run shows of one output of a public case.

    `corner` has the rows and columns of the first elements, of which `values` and `expected` are the texts,
    row by row, and `wrong` the positions of those that are wrong. `expected` is empty where the author's
    checker compares. `worst` is the wrong element that is farthest off. `grid` are the rows and columns of a
    map over the whole output, and `counts` the wrong elements in each cell of it, empty if none is wrong.
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
    """What a run shows of one input of a public case: `values` has the first elements, as in ShownOutput.

    A scalar has an empty shape and one value.
    """

    argument: str
    shape: tuple[int, ...]
    corner: tuple[int, int]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding about the program, for its author. Text from a child process, bounded and cleaned.

    `kind` is a DiagnosticKind, or whatever word a runner chose. `line` is 1-based in the submission's source,
    None where unknown. `array` is the argument that it is about. `hidden` says that it was said once a hidden
    case had begun, see `judge.redaction`.
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
        """Its message, with its line where that is known and not said: for where nothing else shows it."""
        said = not self.line or f"line {self.line}" in self.message
        return self.message if said else f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Placement:
    """Position of a timed case under the roofline of the GPU that ran it.

    `intensity` is the operations per byte that the problem's formulas count, and `bytes_per_s` what the
    program moved of the bytes that they count. The GPU was measured to reach `peak_bytes_per_s` and, in
    the dtype of the problem, `peak_operations_per_s`.
    """

    intensity: float
    bytes_per_s: float
    peak_bytes_per_s: float
    peak_operations_per_s: float


@dataclass(frozen=True, slots=True)
class Timing:
    """The trusted clock's result for one timed case. Times are microseconds for one call.

    `median_us` ranks: the median of the best of three single calls (`judge.clock.estimate`), of the
    time from the release of the GPU to the last change of the outputs. `low_us` to `high_us` is its 95 %
    interval, and `repetitions` the number of calls. `queued` says that calls were queued ahead; without it
    the time includes that of launching. `floor_us` is what the memory or the arithmetic of this GPU takes
    at least, and `roofline_percent` = 100 * floor / median; `placement` has the figures behind them, where
    the GPU is calibrated. Clocks are in MHz, temperature in degrees Celsius, power in watts, None where
    NVML does not say. `discarded` counts blocks of calls that did not count because something else
    disturbed the GPU. `remarkable` times are faster than what the GPU was measured to reach, by more than
    such measurements are off.
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
    """What the hardware counted during one launch. `sandbox.gpu.profiler.METRICS` names the metrics."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LineProfile:
    """What the hardware counted for one line of the source, summed over launches: samples, instructions."""

    line: int
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class InstructionProfile:
    """What the hardware counted for one instruction (SASS), summed over launches. `line` is the source's."""

    line: int
    text: str
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a run: its first launches in order, and the lines of the source that have figures.

    `instructions` are those of the lines, by line and then in the order of the code.
    `missing` says why there is none, for the user; empty if there is one. `report_missing` says the same of
    the report of Nsight Compute.
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
    """The outcome of one case. `wall_ms` is the referee's own clock; nothing ranks on it.

    `scalars` are the texts of those that were drawn or given for this case. `timing` is there for timed
    cases that the trusted clock measured on a GPU. `told_after` says that a hidden case had begun before in
    the same process, see `judge.redaction`. `inputs` and `outputs` are there for public cases of runs.
    `program` says what the program under test is, in problems that ask for tests. The verdict then says
    whether the tests judged it rightly; see `judge.kills`. `checker_score` is the number that the checker
    gave outputs that are all right.
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


@dataclass(frozen=True, slots=True)
class RequirementReport:
    """How a program meets a requirement of its problem.

    `measured` is the figure of the case in which it is worst, rounded for a hidden one, whose name is not in
    `case`. It is None if nothing was counted, or if `message` says why there is no figure. `line` is the
    one that contributes most to a figure that misses the bound, and `call` the function of the CUDA runtime
    that does, if the figure counts calls.
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

    `message` is public: if a hidden case decided the verdict, it reveals nothing of that case. Cases
    and diagnostics are for those who may see hidden cases; `judge.redaction` makes what others may see.

    `log` is the compiler's text and `output` what the program printed on public cases, both bounded.
    `score` is there only where the trusted clock measured every timed case on a GPU. `kernels` and
    `listings` (`ptx`, `sass`) come from the compiler, bounded. `attempts` counts runs, which is more than
    one where a neighbour's fault disturbed the first. `requirements` has one entry for each requirement of
    the problem, if all cases were accepted. `profile` is there for runs that asked for one. `checker_score`
    is the mean over the cases that count, if the program is accepted and the problem has such a score;
    `judge.scoring` says which. `replay` is there for runs of CUDA programs in functional mode.
    `profile_report` is Nsight Compute's file of a run with a profile: bytes from the sandbox, which nothing
    of ours reads. The JSON has neither of the two.
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
        """Whether it has a figure that ranks."""
        return self.score is not None


@dataclass(frozen=True, slots=True)
class FreshReport(Report):
    """The report of a judgement that has just ended. Listings may still be made: they come `later`."""

    later: Future[Mapping[str, str]] | None = field(default=None, repr=False, compare=False)

    def with_listings(self, patience_s: float = 1.0) -> "FreshReport":
        """The report with the listings that are there after `patience_s`."""
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
    """The texts of the scalars that were drawn or given for `case`."""
    return {
        name: f"{value:.9g}" if isinstance(value, float) else str(value)
        for name, value in case.scalars.items()
    }
