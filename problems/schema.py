"""The typed form of a problem: immutable values, parsed once by `problems.loader`."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from problems.calling import PythonCallSpec
from problems.formula import Formula
from problems.libraries import Library
from problems.vocabulary import (
    ArrayMemory,
    BaselineKind,
    Better,
    Count,
    Counter,
    Difficulty,
    Dtype,
    Group,
    Language,
    OracleKind,
    ProgramKind,
    Relation,
    Role,
    ValueOrder,
    Verdict,
)

TOKENS_PER_LINE = 6  # default limit of changed tokens, for each line that may change


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The allowed difference of an output's element from its expected value.

    An element passes when `|got - expected| <= absolute + relative * |expected|`. NaN matches NaN only if
    `nan` is true, and an infinity matches only the same infinity. Integer dtypes are compared exactly.
    """

    relative: float = 0.0
    absolute: float = 0.0
    nan: bool = False


@dataclass(frozen=True, slots=True)
class ValueRule:
    """A rule for all values of an argument that a program reads.

    `least` and `most` are formulas over the case's sizes, None for no bound. `order` holds for each row of an
    array. `custom` says whether users may give custom values in runs. For a scalar without a formula, the
    rule is the range from which it is drawn.
    """

    least: Formula | None = None
    most: Formula | None = None
    order: ValueOrder | None = None
    custom: bool = True


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of `solve`, in order.

    `shape` holds one formula per dimension over the case's sizes, empty for a scalar. `value` is a scalar's
    formula over the same sizes, None for a scalar that is drawn for each case from the range of `values`.
    `tolerance` is None for arguments that are not checked. A `zeroed` output holds zeros before each call,
    not poison. `values` is the problem's promise about an input. `memory` is the kind of memory of an array,
    and `device` the number of its GPU.
    """

    name: str
    role: Role
    dtype: Dtype
    shape: tuple[Formula, ...] = ()
    value: Formula | None = None
    tolerance: Tolerance | None = None
    zeroed: bool = False
    values: ValueRule | None = None
    memory: ArrayMemory = ArrayMemory.DEVICE
    device: int = 0

    @property
    def drawn(self) -> bool:
        """Whether it is a scalar without a formula: its value is drawn for each case."""
        return self.role is Role.SCALAR and self.value is None


@dataclass(frozen=True, slots=True)
class Case:
    """A named set of sizes. Only `sample` cases are visible to users.

    `inputs` holds literal values, flattened in C order, for the input arrays of a sample case whose numbers
    the statement shows, and for arrays that a user gave for a custom case. The generator creates all other
    inputs. `scalars` holds values that replace the formulas of scalars. `program` is the kind of the program
    under test, None in problems without one; see `problems.under_test`.
    """

    name: str
    group: Group
    sizes: Mapping[str, int]
    inputs: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    scalars: Mapping[str, float] = field(default_factory=dict)
    program: ProgramKind | None = None

    @property
    def public(self) -> bool:
        """Whether its sizes and values may be shown to users."""
        return self.group is Group.SAMPLE


@dataclass(frozen=True, slots=True)
class ProblemLimits:
    """Limits of one submission. `case_s` is wall-clock time, `compile_s` is CPU time of the compiler.

    `gpus` are words of GPU model names, such as `H200`; if empty, every model is suitable. `libraries` are
    the libraries whose headers a CUDA program may include, None for all. With `device_launches`, its kernels
    may launch kernels. `sizes` are the greatest values of the sizes that the statement limits.
    """

    compile_s: float = 30.0
    case_s: float = 10.0
    memory_mib: int = 2048
    source_kib: int = 64
    gpus: tuple[str, ...] = ()
    libraries: tuple[Library, ...] | None = None
    device_launches: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)


def suits_gpu(words: Collection[str], gpu_model: str) -> bool:
    """Return whether one of `words` is a word of the model's name. Without words, every model is suitable."""
    return not words or bool(
        set(re.split(r"[^A-Z0-9]+", gpu_model.upper())) & {word.upper() for word in words}
    )


@dataclass(frozen=True, slots=True)
class Solution:
    """A program shipped with the problem, with the verdict that it must get. `path` is absolute.

    If there are `gpu_verdicts`, it must get one of them on a GPU, where a race may go unnoticed. A solution
    with a `baseline` is on the leaderboards under its `label`, timed like any other, for comparison.
    """

    path: Path
    language: Language
    verdict: Verdict
    note: str
    gpu_verdicts: tuple[Verdict, ...] = ()
    baseline: BaselineKind | None = None
    label: str = ""

    def allowed(self, *, on_gpu: bool) -> tuple[Verdict, ...]:
        """Return the allowed verdicts."""
        if on_gpu and not self.gpu_verdicts and self.verdict is Verdict.REQUIREMENT_MISSED:
            return self.verdict, Verdict.ACCEPTED  # if functional mode cannot count
        return self.gpu_verdicts if on_gpu and self.gpu_verdicts else (self.verdict,)


@dataclass(frozen=True, slots=True)
class IgnoredMutant:
    """A mutant that is equivalent to its solution. The author explains this in `reason`.

    `mutant` is its name in proofs. `line` is the text of the line of `file` that it changes: if this line
    changes, the author must review the reason.
    """

    file: str
    mutant: str
    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fix:
    """The settings of a problem with a broken program to correct; see `problems.fix`.

    `given` are files in `solutions/`, one for each language, which are also the starters. A submission may
    change at most `changes` lines, and no line whose text is in `protected`. `tokens` limits the tokens that
    changed lines may add or remove, None for the default.
    """

    given: tuple[str, ...]
    changes: int
    protected: tuple[str, ...] = ()
    tokens: int | None = None

    @property
    def most_tokens(self) -> int:
        """The limit on tokens that the changed lines of a submission may add or remove."""
        return self.tokens or self.changes * TOKENS_PER_LINE


@dataclass(frozen=True, slots=True)
class UnderTest:
    """The programs that submissions test; see `problems.under_test`.

    `faulty` are the names of the cases whose programs are faulty. A submission must kill at least
    `least_killed` of these, and pass all others. `programs` are the sources by their number, from 1, which
    is the size `program` of their case.
    """

    faulty: tuple[str, ...]
    least_killed: int
    programs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on a counter; see `problems.requirements`.

    `cases` are the names of the cases in which it must hold, empty for the largest counted case.
    `explanation` is a sentence for learners.
    """

    counter: Counter
    relation: Relation
    bound: float
    explanation: str
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """The number that the checker gives to a right output; see `problems.score`.

    `name` is its name on pages, `unit` its unit. Values are from `least` to `most`. `cases` are the names of
    the hidden cases whose mean is the score of a submission, empty for all of them.
    """

    name: str
    better: Better
    least: float
    most: float
    unit: str = ""
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem package. `version` is a hash of everything that can change a verdict.

    `translations` are statements in other languages, by their locale; see `problems.translations`. `hints`
    are texts that reveal more and more. `checker` is the source of `checker.py`, which decides which outputs
    pass; None if tolerances decide. `checker_rules` are the names and sentences of its rules on whole
    answers; see `problems.checker_rules`. `python` describes the call of Python programs, None for `solve`
    with all arguments in order. `beatable` are the formulas that an honest program can beat; see
    `judge.clock.roofline`. `tiers` are percentages of the vendor baseline's speed, ascending, for points by
    speed. `fix` is None unless submissions must correct a given program, which is then the starter.
    `requirements` are bounds on counters of an accepted program. `score` describes the checker's score, None
    if it gives none. `under_test` is None unless submissions are tests of these programs. `gpus` is the
    number of GPUs that a program uses, in one process. `ranks` is the number of its processes, each of which
    has a GPU of its own.
    """

    slug: str
    title: str
    summary: str
    difficulty: Difficulty
    tags: tuple[str, ...]
    languages: tuple[Language, ...]
    arguments: tuple[Argument, ...]
    cases: tuple[Case, ...]
    limits: ProblemLimits
    bytes_moved: Formula
    operations: Formula
    statement: str
    reference: str
    starters: Mapping[Language, str]
    solutions: tuple[Solution, ...]
    version: str
    track_day: int | None = None
    editorial: str | None = None
    hints: tuple[str, ...] = ()
    checker: str | None = None
    python: PythonCallSpec | None = None
    oracle: OracleKind = OracleKind.ARRAYS
    mutants_ignored: tuple[IgnoredMutant, ...] = ()
    beatable: tuple[Count, ...] = ()
    translations: Mapping[str, str] = field(default_factory=dict)
    tiers: tuple[int, ...] = ()
    fix: Fix | None = None
    requirements: tuple[Requirement, ...] = ()
    under_test: UnderTest | None = None
    score: ScoreRule | None = None
    gpus: int = 1
    ranks: int = 1
    checker_rules: tuple[tuple[str, str], ...] = ()

    @property
    def has_own_gpus(self) -> bool:
        """Whether its programs run alone on their GPUs, outside MPS, and untimed.

        MPS supports neither several GPUs in one process nor kernels that launch kernels. The processes of
        ranks would be clients of several MPS daemons.
        """
        return self.devices_needed > 1 or self.limits.device_launches

    @property
    def devices_needed(self) -> int:
        """The number of GPUs that a program needs, either all in one process, or one GPU per rank."""
        return max(self.gpus, self.ranks)

    @property
    def ranks_by_score(self) -> bool:
        """Whether the checker's score ranks programs: the problem has no timed cases and no requirements.

        A program can forge the counters of requirements, so it could break the rules behind its score.
        """
        timed = any(case.group is Group.TIMED for case in self.cases)
        return self.score is not None and not timed and not self.requirements
