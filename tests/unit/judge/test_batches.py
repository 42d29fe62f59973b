"""Tests batches: many programs in one source, and their verdicts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from judge.built import Built
from judge.cases import LATE_READS, ORDERS
from judge.proof.batches.text import WHICH, batch_text
from judge.proof.batches.trials import ProgramBatches, Trial, with_choice
from judge.report import CaseReport, Diagnostic, Report, StageTime
from problems.schema import Case, Problem
from problems.vocabulary import DiagnosticKind, Group, Language, Severity, Stage, Verdict
from sandbox.wire import RunFlag
from tests.unit.judge.environment import SCALING, InProcessOracle

Say = Callable[[str, Case], Verdict]


@dataclass(slots=True)
class Scripted:
    """Target, judging session and referee in one. Each program does as `say` says of its source."""

    say: Say
    compiles: Callable[[str], bool] = lambda _: True
    built: list[str] = field(default_factory=list)
    runners: int = 0
    alive: bool = True
    ranks: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    calls: list[tuple[int, str]] = field(default_factory=list)

    def build(self, problem: Problem, source: str, language: Language, cancelled: object) -> Built:
        self.built.append(source)
        failure = None if self.compiles(source) else Verdict.COMPILE_ERROR
        return Built(contents=(source.encode(),), failure=failure)

    def session(
        self, problem: Problem, language: Language, cases: Sequence[Case], *_: Any, **__: Any
    ) -> "Scripted":
        assert all(case.sizes[WHICH] == 0 for case in cases)
        return self

    def start_referee(self, *, alone: bool = False) -> "Scripted":
        assert alone
        self.runners += 1
        self.alive = True
        return self

    def sets(self, case: Case) -> tuple[Any, ...]:
        return (Drawn(case),)

    def ready(self) -> None: ...
    def close(self) -> None: ...
    def load(self, *_: bytes) -> None: ...

    def check(self, drawn: "Drawn", _: object) -> CaseReport:
        number = drawn.case.sizes[WHICH]
        self.calls.append((number, drawn.case.name))
        sources = eval(self.built[-1].split("_SOURCES = ")[1].split("]\n")[0] + "]")
        verdict = self.say(sources[number], drawn.case)
        self.alive = verdict is not Verdict.ILLEGAL_ACCESS
        return CaseReport(drawn.case.name, drawn.case.group, False, verdict, "said the judge", wall_ms=1.0)


@dataclass(frozen=True, slots=True)
class Drawn:
    case: Case


def batches(
    target: Scripted,
    alone: list[str],
    controls: Sequence[str] = ("control",),
    language: Language = Language.TRITON,
) -> ProgramBatches:
    def judge_alone(problem: Problem, source: str, language: Language) -> Report:
        alone.append(source)
        return Report(Verdict.RUNTIME_ERROR, "alone", (StageTime(Stage.CHECK, 2.0),), ())

    return ProgramBatches(SCALING, language, controls, target, judge_alone)  # type: ignore[arg-type]


def say(source: str, case: Case) -> Verdict:
    """Sources name what they do, and from which case on."""
    if "crash" in source:
        return Verdict.ILLEGAL_ACCESS
    return Verdict.WRONG_ANSWER if "wrong" in source and case.name == "odd" else Verdict.ACCEPTED


class TestTrials:
    def test_every_program_gets_what_it_would_get(self) -> None:
        alone: list[str] = []
        trials = batches(Scripted(say), alone).try_all(["right", "wrong", "crash", "right too"])
        verdicts = [Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.ILLEGAL_ACCESS, Verdict.ACCEPTED]
        assert [trial.verdict for trial in trials] == verdicts
        assert trials[1].message == "odd: said the judge"
        assert alone == []

    def test_small_cases_come_first_and_the_first_failure_ends_a_program(self) -> None:
        target = Scripted(say)
        batches(target, []).try_all(["wrong", "right"])
        assert [name for number, name in target.calls if number == 1] == ["one", "one", "example", "odd"]
        assert {name for _, name in target.calls} == {"one", "example", "odd"}  # none is timed

    def test_a_program_that_ends_its_sandbox_costs_one_more(self) -> None:
        target = Scripted(say)
        batches(target, []).try_all(["crash", "right"])
        assert target.runners == 2
        assert len(target.built) == 1

    def test_one_that_does_not_compile_spoils_it_for_few(self) -> None:
        alone: list[str] = []
        target = Scripted(say, compiles=lambda source: "broken" not in source)
        trials = batches(target, alone).try_all(["right", "wrong", "next to it", "broken"])
        assert alone == ["next to it", "broken"]
        assert trials[1].verdict is Verdict.WRONG_ANSWER
        assert trials[3] == Trial(Verdict.RUNTIME_ERROR, "alone", 2.0)

    def test_a_batch_whose_control_fails_is_not_believed(self) -> None:
        alone: list[str] = []
        trials = batches(Scripted(say), alone, controls=["wrong control"]).try_all(["right", "wrong"])
        assert alone == ["right", "wrong"]
        assert {trial.message for trial in trials} == {"alone"}

    def test_nor_one_whose_sandbox_was_damaged(self) -> None:
        said: list[str] = []

        def damaging(source: str, case: Case) -> Verdict:
            said.append(source)
            spoiled = source == "control" and "right" in said
            return Verdict.WRONG_ANSWER if spoiled else Verdict.ACCEPTED

        alone: list[str] = []
        batches(Scripted(damaging), alone).try_all(["right", "right too"])
        assert alone == ["right", "right too"]


class OrderedTarget(Scripted):
    """A target of CUDA programs that are wrong in the orders of `wrong_in`."""

    def __init__(self, wrong_in: Callable[[RunFlag], bool], *, ranks: bool = False) -> None:
        super().__init__(say)
        self.ranks = ranks
        self.wrong_in = wrong_in
        self.orders: dict[int, list[RunFlag]] = {}
        race = Diagnostic(Severity.WARNING, DiagnosticKind.RACE, "race of another program (line 3)", line=3)
        self.diagnostics = (race,)

    def check(self, drawn: Drawn, flags: Any) -> CaseReport:
        number, case = drawn.case.sizes[WHICH], drawn.case
        self.orders.setdefault(number, []).append(flags)
        verdict = Verdict.WRONG_ANSWER if number == 1 and self.wrong_in(flags) else Verdict.ACCEPTED
        return CaseReport(case.name, case.group, False, verdict, "", wall_ms=1.0)


class TestOrders:
    """A program runs in the orders that a submission runs in."""

    @pytest.mark.parametrize("order", [*ORDERS, *LATE_READS])
    def test_a_program_that_is_wrong_in_one_order_fails(self, order: RunFlag) -> None:
        target = OrderedTarget(lambda flags: flags == order)
        wrong, right = batches(target, [], language=Language.CUDA).try_all(["racy", "right"])
        assert (wrong.verdict, right.verdict) == (Verdict.WRONG_ANSWER, Verdict.ACCEPTED)
        assert target.orders[2] == [*ORDERS, *LATE_READS] * 3  # the second program races, too
        assert "another program" not in wrong.message

    def test_a_gpu_has_one(self) -> None:
        target = OrderedTarget(lambda _: False, ranks=True)
        batches(target, [], language=Language.CUDA).try_all(["a", "b"])
        assert len(target.orders[1]) == 3

    def test_triton_has_two_for_odd_cases(self) -> None:
        target = OrderedTarget(lambda _: False)
        batches(target, []).try_all(["a", "b"])
        assert target.orders[1] == [*ORDERS[:2], ORDERS[0], *ORDERS[:2]]


class TestChoice:
    def test_the_problem_says_which_program_is_called(self) -> None:
        problem, cases = with_choice(SCALING, 3)
        assert problem.arguments[-1].name == WHICH
        assert problem.version != SCALING.version
        assert len(problem.cases) == 3 * len(cases)
        assert all(case.group is not Group.TIMED for case in problem.cases)

    def test_its_reference_is_that_of_the_original(self) -> None:
        problem, cases = with_choice(SCALING, 2)
        for case in cases:
            plain = replace(case, sizes={"n": case.sizes["n"]})
            drawn = InProcessOracle(problem).draw(case, 1)
            assert (drawn.expected["y"] == InProcessOracle(SCALING).draw(plain, 1).expected["y"]).all()


class TestText:
    def test_cuda_programs_keep_to_themselves(self) -> None:
        problem, _ = with_choice(SCALING, 2)
        source = '#include <cmath>\n#define N 4\nextern "C" void solve(const float* x, float* y, int n) {}\n'
        text = batch_text(problem, [source, source], Language.CUDA)
        assert text.count("#include <cmath>") == 1
        assert text.index("#include") < text.index("namespace program_0 {")
        assert text.count("#undef N") == 2
        assert text.count('extern "C" ') == 1
        assert "case 1: program_1::solve(warpcourt_given(x), y, n); return;" in text

    def test_triton_programs_are_modules_of_their_own(self) -> None:
        problem, _ = with_choice(SCALING, 2)
        sources = [f"def solve(heard, n):\n    heard.append(({name!r}, n, __name__))" for name in "ab"]
        module: dict[str, Any] = {}
        exec(batch_text(problem, sources, Language.TRITON), module)
        heard: list[tuple[str, int, str]] = []
        module["solve"](heard, 5, 1)
        module["solve"](heard, 6, 0)
        assert heard == [("b", 5, "program_1"), ("a", 6, "program_0")]

    def test_other_languages_have_none(self) -> None:
        with pytest.raises(ValueError, match="in batches"):
            batch_text(SCALING, ["a"], Language.PYTHON)
