"""Messages between the worker and a referee process over a `judge.gpu.device.link`."""

from dataclasses import dataclass

from judge.clock.contracts import Interfered
from judge.clock.roofline import Roofline
from judge.drawn import ArrayPart
from judge.report import CaseReport, Diagnostic
from judge.runner.inspector import Stopped
from problems.schema import Case, Problem
from problems.vocabulary import Language
from sandbox.wire import RunFlag


@dataclass(frozen=True, slots=True)
class Born:
    """The first word of a referee process; with a descriptor that stands for it, by which it is killed."""

    pid: int


@dataclass(frozen=True, slots=True)
class Attach:
    """Judge a program in `language` for `problem`; with the channel of a runner that is ready.

    Where the problem has a checker of its own, the channel of its sandbox comes second.

    `time_sliced` says that runner and referee take turns on the GPU, because there is no MPS. `memory_mib` is
    the limit of the runner's device memory, 0 for none.
    """

    problem: Problem
    language: Language
    time_sliced: bool = False
    memory_mib: int = 0


@dataclass(frozen=True, slots=True)
class LoadProgram:
    """Load the program, of which these are the files."""

    contents: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SetLayout:
    """A drawn set, whose descriptor comes with the message."""

    case: Case
    parts: tuple[ArrayPart, ...]
    size_bytes: int


@dataclass(frozen=True, slots=True)
class CheckCase:
    """Run one case and check it in full; with the set's descriptor."""

    drawn: SetLayout
    flags: RunFlag


@dataclass(frozen=True, slots=True)
class Rank:
    """Time one case; with the descriptors of its sets. `ours` are processes that may be on the GPU."""

    sets: tuple[SetLayout, ...]
    roofline: Roofline | None
    ours: frozenset[int]


@dataclass(frozen=True, slots=True)
class Leave:
    """Have the runner leave."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Let go of the runner and of all memory, and wait for another `Attach`."""


RefereeOutcome = CaseReport | Stopped | Interfered | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a request, and the runner's findings about the program up to now."""

    outcome: RefereeOutcome
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The referee cannot do it, through no fault of a program: the GPU is `lost`, or refuses something."""

    reason: str
    lost: bool


Request = Attach | LoadProgram | CheckCase | Rank | Leave | Rest
