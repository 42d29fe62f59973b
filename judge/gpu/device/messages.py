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
    """The first message of a referee process.

    It comes with a pidfd, by which the worker can kill the process.
    """

    pid: int


@dataclass(frozen=True, slots=True)
class Attach:
    """Judge a program in `language` for `problem`. Comes with the channel of a runner that is ready.

    If the problem has its own checker, the channel of the checker's sandbox comes second.

    `time_sliced` says that runner and referee take turns on the GPU, because there is no MPS. `memory_mib` is
    the limit of the runner's device memory, 0 for none.
    """

    problem: Problem
    language: Language
    time_sliced: bool = False
    memory_mib: int = 0


@dataclass(frozen=True, slots=True)
class LoadProgram:
    """Load the program that consists of these files."""

    contents: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SetLayout:
    """The layout of a drawn set. The set's descriptor comes with the message."""

    case: Case
    parts: tuple[ArrayPart, ...]
    size_bytes: int


@dataclass(frozen=True, slots=True)
class CheckCase:
    """Run one case and check all of its outputs. Comes with the descriptor of the set."""

    drawn: SetLayout
    flags: RunFlag


@dataclass(frozen=True, slots=True)
class Rank:
    """Time one case. Comes with the descriptors of its sets. `ours` are processes that may use the GPU."""

    sets: tuple[SetLayout, ...]
    roofline: Roofline | None
    ours: frozenset[int]


@dataclass(frozen=True, slots=True)
class Leave:
    """Make the runner exit."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Release the runner and all memory, and wait for another `Attach`."""


RefereeOutcome = CaseReport | Stopped | Interfered | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a request, with all findings of the runner about the program until now."""

    outcome: RefereeOutcome
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The referee could not do it, and no program is at fault: the GPU is `lost` or refused an operation."""

    reason: str
    lost: bool


Request = Attach | LoadProgram | CheckCase | Rank | Leave | Rest
