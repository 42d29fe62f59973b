"""A problem as the rest of Warpcourt sees it: frozen values, parsed once by `problems.loader`."""

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

TOKENS_PER_LINE = 6  # that may change in a given program, unless the problem says


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The allowed difference of an output's element from its expected value.

    An element passes when `|got - expected| <= absolute + relative * |expected|`. NaN matches NaN only
    when `nan` is true; an infinity matches only the same infinity. Exact for integer dtypes.
    """

    relative: float = 0.0
    absolute: float = 0.0
    nan: bool = False


@dataclass(frozen=True, slots=True)
class ValueRule:
    """What holds of all values of an argument that a program reads.

    `least` and `most` are formulas over the case's sizes, None for no bound. `order` holds for each row of an
    array. `custom` says whether users may give values of their own in runs. Of a scalar without a formula,
    the rule is the range from which it is drawn.
    """

    least: Formula | None = None
    most: Formula | None = None
    order: ValueOrder | None = None
    custom: bool = True


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of `solve`, in order.

    `shape` holds one formula per dimension over the case's sizes, empty for a scalar. `value` is a
    scalar's formula over the same sizes, None for a scalar that is drawn for each case from the range of
    `values`. `tolerance` is None for arguments that are not checked. A `zeroed` output holds zeros before
    each call, not poison. `values` is what the problem promises of an input. `memory` is where an array lies,
    `device` the number of the GPU whose memory that is.
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
    """A named set of sizes. Everything but a `sample` case is hidden from users.

    `inputs` holds literal values, flattened in C order, for the input arrays of a sample case whose
    numbers the statement shows, and for those that a user gave for a case of one's own. The generator makes
    all others. `scalars` holds values that stand in for the formulas of scalars. `program` says what the
    program under test is, None in problems that have none; see `problems.under_test`.
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
    """Limits of one submission. `case_s` is wall clock, `compile_s` processor time of the compiler.

    `gpus` are words of the names of models, such as `H200`; without any every model will do. `libraries` are
    those whose headers a CUDA program may include, None for all. With `device_launches`, its kernels may
    launch kernels.
    """

    compile_s: float = 30.0
    case_s: float = 10.0
    memory_mib: int = 2048
    source_kib: int = 64
    gpus: tuple[str, ...] = ()
    libraries: tuple[Library, ...] | None = None
    device_launches: bool = False


def suits_gpu(words: Collection[str], gpu_model: str) -> bool:
    """Whether `words`, of which none means any, allow the model: one of them is a word of its name."""
    return not words or bool(
        set(re.split(r"[^A-Z0-9]+", gpu_model.upper())) & {word.upper() for word in words}
    )


@dataclass(frozen=True, slots=True)
class Solution:
    """A program shipped with the problem, with the verdict that it must get. `path` is absolute.

    On a GPU it must get one of `gpu_verdicts`, where there are any: a race may go unnoticed there. One with a
    `baseline` stands on the leaderboards under its `label`, timed like any other, for others to compare with.
    """

    path: Path
    language: Language
    verdict: Verdict
    note: str
    gpu_verdicts: tuple[Verdict, ...] = ()
    baseline: BaselineKind | None = None
    label: str = ""

    def allowed(self, *, on_gpu: bool) -> tuple[Verdict, ...]:
        """The verdicts any of which it may get."""
        if on_gpu and not self.gpu_verdicts and self.verdict is Verdict.REQUIREMENT_MISSED:
            return self.verdict, Verdict.ACCEPTED  # where functional mode cannot count
        return self.gpu_verdicts if on_gpu and self.gpu_verdicts else (self.verdict,)


@dataclass(frozen=True, slots=True)
class IgnoredMutant:
    """A mutant that computes what its solution does, as its author explains in `reason`.

    `mutant` is the name that proofs give it, `line` the line of `file` in which it differs: when that line
    becomes another, the reason has to be looked at again.
    """

    file: str
    mutant: str
    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What a problem says that gives a broken program to correct; see `problems.fix`.

    `given` are files in `solutions/`, one for each language, which are the starters too. A submission may
    change at most `changes` lines, and none of the lines whose texts are `protected`. `tokens` is how many
    tokens the changed lines may add or remove, None for the usual number.
    """

    given: tuple[str, ...]
    changes: int
    protected: tuple[str, ...] = ()
    tokens: int | None = None

    @property
    def most_tokens(self) -> int:
        """How many tokens the changed lines of a submission may add or remove."""
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
    """A bound on what functional mode counts; see `problems.requirements`.

    `cases` are the names of those in which it must hold, empty for the largest one that is counted.
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

    `name` is what pages call it, with its `unit`. Values are from `least` to `most`. `cases` are the names of
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
    """A problem package. `version` is a hash of all that can change a verdict.

    `translations` are statements in other languages, by their locale; see `problems.translations`.
    `hints` are texts, each of which tells more than the one before.
    `checker` is the source of `checker.py`, which then decides what passes, None where tolerances do.
    `python` says how programs in that language are called, None for `solve` with all arguments in order.
    `beatable` are the formulas that a program can honestly beat; see `judge.clock.roofline`.
    `tiers` are percentages of the vendor baseline's speed, ascending, for points by speed.
    `fix` is None unless programs must correct the given one, which is the starter then.
    `requirements` bound what is counted of an accepted program.
    `score` says what number the checker gives, None where it gives none.
    `under_test` is None unless submissions are tests of these programs.
    `gpus` is the number of GPUs that a program uses, in one process.
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

    @property
    def has_own_gpus(self) -> bool:
        """Whether its programs run alone on their GPUs, outside MPS, and are not timed.

        MPS supports neither several GPUs in one process nor kernels that launch kernels.
        """
        return self.gpus > 1 or self.limits.device_launches

    @property
    def ranks_by_score(self) -> bool:
        """Whether the checker's score ranks programs: there is no time to rank, and no requirement.

        A program can forge what requirements count, so it could break the rules behind its score.
        """
        timed = any(case.group is Group.TIMED for case in self.cases)
        return self.score is not None and not timed and not self.requirements
