"""Tests the way from a source to a report. Scripts replace all sandboxes."""

import itertools
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from judge.built import Built
from judge.cases import counted_cases, redrawn_case, select_cases, with_small_public
from judge.cpu.referee import HostReferee
from judge.cpu.target import CpuSession, CpuTarget
from judge.drawn import CaseData
from judge.errors import GpuUnavailable, OracleFailed
from judge.evaluate import evaluate
from judge.oracle import Oracle
from judge.report import Diagnostic, ProgressEvent, Report, StageTime
from judge.sizes import MAX_CUSTOM_BYTES, MAX_SEED, SizesInvalid
from problems.libraries import Library
from problems.schema import Problem, Requirement, ScoreRule
from problems.vocabulary import Better, Counter, Language, Mode, Relation, Severity, Verdict
from sandbox.gpu.tool import Tool
from sandbox.spec import Completion, Termination
from sandbox.wire import ExitStatus, RequestKind, RunFlag
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import Actor, ScriptedProcess, serve

Script = Callable[[Actor], None]


def draw(actor: Actor) -> None:
    """An oracle for doubling: arguments x, y, n, then the size n, then what is expected of y."""
    x = actor.array(0, "f4")
    given = actor.request.flags & RunFlag.GIVEN
    x[:] = DOUBLING.cases[0].inputs["x"] if given else actor.request.seed % 1000
    actor.array(4, "f8")[:] = x.astype("f8") * 2


def double(actor: Actor) -> None:
    actor.array(1, "f4")[:] = actor.array(0, "f4") * 2


class ScriptedTarget(CpuTarget):
    """A target whose compiler and sandboxes are scripts."""

    def __init__(
        self,
        runner: Script = serve(double),  # noqa: B008 - a script has no state
        oracle: Script = serve(draw),  # noqa: B008
        built: Built | None = None,
        completion: Completion | None = None,
    ) -> None:
        self._runner, self._oracle, self._completion = runner, oracle, completion
        self._built = built or Built(contents=(b"artifact",), log="a warning")
        self.started: list[ScriptedProcess] = []

    def environment(self, language: Language) -> Mapping[str, str]:
        return {"target": "scripted", "language": language.value}

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool]
    ) -> Built:
        return self._built

    def start_oracle(self, problem: Problem, cancelled: Callable[[], bool]) -> Oracle:
        return Oracle(problem, self._start(self._oracle), cancelled)

    def start_runner(self, problem: Problem, language: Language) -> ScriptedProcess:
        return self._start(self._runner, self._completion)

    def _start(self, script: Script, completion: Completion | None = None) -> ScriptedProcess:
        process = ScriptedProcess(script, completion)
        self.started.append(process)
        return process


def judge(target: ScriptedTarget, **options: object) -> Report:
    standard = {"source": "source", "language": Language.CUDA, "mode": Mode.SUBMIT}
    return evaluate(DOUBLING, target=target, **(standard | options))  # type: ignore[arg-type]


def test_an_honest_program_is_accepted_and_not_ranked() -> None:
    report = judge(ScriptedTarget())
    assert report.verdict is Verdict.ACCEPTED
    assert [case.name for case in report.cases] == ["example", "odd"]  # no timed case on a CPU
    assert {stage.name for stage in report.stages} == {"compile", "start", "load", "check"}
    assert report.environment["target"] == "scripted"
    assert report.log == "a warning"
    assert not report.ranked


def test_each_stage_is_told_when_it_is_over() -> None:
    told: list[StageTime] = []
    report = judge(ScriptedTarget(), on_stage=told.append)
    assert tuple(told) == report.stages


def test_every_process_is_closed_afterwards() -> None:
    target = ScriptedTarget()
    judge(target)
    assert len(target.started) == 2
    assert all(process.killed.is_set() for process in target.started)


def test_a_wrong_answer_does_not_stop_the_other_cases() -> None:
    report = judge(ScriptedTarget(runner=serve(lambda _: None)))
    assert [case.verdict for case in report.cases] == [Verdict.WRONG_ANSWER] * 2


@pytest.mark.parametrize("right", [True, False])
def test_notes_on_causes_go_with_wrong_answers_and_notes_on_speed_with_right_ones(right: bool) -> None:
    def work(actor: Actor) -> None:
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "precision", "message": "TF32"}\n')
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "launch", "message": "One."}\n')
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "uncoalesced", "message": "Far."}\n')
        actor.array(1, "f4")[:] = actor.array(0, "f4") * (2 if right else 3)

    report = judge(ScriptedTarget(runner=serve(work)))
    assert (report.verdict is Verdict.ACCEPTED) == right
    kinds = {finding.kind for finding in report.diagnostics}
    assert kinds == ({"launch", "uncoalesced"} if right else {"launch", "precision"})


@pytest.mark.parametrize("zeros_suffice", [True, False])
@pytest.mark.parametrize("told", [True, False])
def test_a_triton_program_may_need_the_zeros_that_masks_leave_on_a_gpu(
    told: bool, zeros_suffice: bool
) -> None:
    def work(actor: Actor) -> None:
        if told:
            os.write(actor.diagnostics, b'{"severity": "note", "kind": "masked_load", "message": "No."}\n')
        right = zeros_suffice and bool(actor.request.flags & RunFlag.ZEROS)
        actor.array(1, "f4")[:] = actor.array(0, "f4") * (2 if right else 3)

    report = judge(ScriptedTarget(runner=serve(work)), language=Language.TRITON)
    masked = {found.severity for found in report.diagnostics if found.kind == "masked_load"}
    if told and zeros_suffice:
        assert report.verdict is Verdict.ACCEPTED
        assert masked == {Severity.WARNING}
        assert "correct only if" in report.diagnostics[0].message
    else:
        assert report.verdict is Verdict.WRONG_ANSWER
        assert not masked  # zeros give the same wrong answer, so the mask is not the cause


def test_a_masked_load_that_changes_a_wrong_answer_is_told() -> None:
    def work(actor: Actor) -> None:
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "masked_load", "message": "No."}\n')
        actor.array(1, "f4")[:] = actor.array(0, "f4") * (4 if actor.request.flags & RunFlag.ZEROS else 3)

    report = judge(ScriptedTarget(runner=serve(work)), language=Language.TRITON)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert {found.severity for found in report.diagnostics} == {Severity.NOTE}


@pytest.mark.parametrize("small_needs_zeros", [True, False])
@pytest.mark.parametrize("language", [Language.TRITON, Language.CUDA])
def test_a_program_has_one_answer_to_each_case(language: Language, small_needs_zeros: bool) -> None:
    """A program can see whether masks leave zeros. It must not answer one way first and then another."""

    def work(actor: Actor) -> None:
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "masked_load", "message": "No."}\n')
        x = actor.array(0, "f4")
        right = bool(actor.request.flags & RunFlag.ZEROS) == ((x.size < 10) == small_needs_zeros)
        actor.array(1, "f4")[:] = x * (2 if right else 3)

    report = judge(ScriptedTarget(runner=serve(work)), language=language)
    assert report.verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize("languages", [(Language.TRITON,), (Language.TRITON, Language.PYTHON)])
def test_a_triton_program_that_computes_in_pytorch_is_told_of_python_where_it_is_offered(
    languages: tuple[Language, ...],
) -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()
        os.write(actor.diagnostics, b'{"severity": "error", "kind": "pytorch", "message": "It computes."}\n')

    refused = Completion(Termination.EXITED, ExitStatus.REFUSED, b"", b"", 0.1, 0.1, None)
    problem = replace(DOUBLING, languages=languages)
    target = ScriptedTarget(runner=script, completion=refused)
    report = evaluate(problem, "source", language=Language.TRITON, mode=Mode.SUBMIT, target=target)
    assert (report.verdict, report.message) == (Verdict.REJECTED, "It computes.")
    notes = [found.message for found in report.diagnostics if "choose Python" in found.message]
    assert len(notes) == (Language.PYTHON in languages)


@pytest.mark.parametrize(("source", "named"), [("x = 0.5;  // not double", True), ("double x = 0.5;", False)])
def test_double_precision_is_named_unless_the_source_asks_for_it(source: str, named: bool) -> None:
    def work(actor: Actor) -> None:
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "double_precision", "message": "Slow."}\n')
        os.write(actor.diagnostics, b'{"severity": "note", "kind": "contended_atomic", "message": "Slow."}\n')
        actor.array(1, "f4")[:] = actor.array(0, "f4") * 2

    report = judge(ScriptedTarget(runner=serve(work)), source=source)
    kinds = {finding.kind for finding in report.diagnostics}
    assert kinds == {"contended_atomic"} | ({"double_precision"} if named else set())


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("cudaStreamSynchronize(0); cudaMemcpy2DAsync(x);", {"needless_wait", "pageable_copy"}),
        ("cudaDeviceSynchronize();", {"needless_wait"}),
        ("thrust::sort(x, x + n);  // cudaMemcpy", set()),
    ],
)
def test_calls_that_only_libraries_make_are_not_named(source: str, named: set[str]) -> None:
    def work(actor: Actor) -> None:
        for kind in ("needless_wait", "pageable_copy"):
            note = {"severity": "note", "kind": kind, "message": "Slow."}
            os.write(actor.diagnostics, json.dumps(note).encode() + b"\n")
        actor.array(1, "f4")[:] = actor.array(0, "f4") * 2

    report = judge(ScriptedTarget(runner=serve(work)), source=source)
    assert {finding.kind for finding in report.diagnostics} == named


def test_a_runner_that_dies_stops_the_cases() -> None:
    def script(actor: Actor) -> None:
        actor.receive()
        actor.answer()
        actor.receive()

    report = judge(ScriptedTarget(runner=script))
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert len(report.cases) == 1


def test_a_compile_failure_is_the_verdict() -> None:
    built = Built(failure=Verdict.COMPILE_ERROR, message="It does not compile.", log="solution.cu(3): error")
    report = judge(ScriptedTarget(built=built))
    assert (report.verdict, report.log, report.cases) == (Verdict.COMPILE_ERROR, "solution.cu(3): error", ())


def test_what_the_compiler_found_is_in_the_report() -> None:
    found = (Diagnostic(Severity.ERROR, "compiler", "Expected a brace.", line=3),)
    built = Built(failure=Verdict.COMPILE_ERROR, message="line 3: Expected a brace.", diagnostics=found)
    report = judge(ScriptedTarget(built=built))
    assert report.diagnostics == found


def test_a_program_that_does_not_load_is_a_compile_error() -> None:
    completion = Completion(Termination.EXITED, ExitStatus.LOAD_ERROR, b"", b"", 0.1, 0.1, None)
    report = judge(ScriptedTarget(runner=lambda actor: None, completion=completion))
    assert report.verdict is Verdict.COMPILE_ERROR


def test_prints_are_shown_in_runs_alone() -> None:
    completion = Completion(Termination.EXITED, 0, b"hello \x1b[31m\n", b"", 0.1, 0.1, None)
    shown = judge(ScriptedTarget(completion=completion), mode=Mode.RUN)
    hidden = judge(ScriptedTarget(completion=completion), mode=Mode.SUBMIT)
    assert shown.output == "hello [31m\n"
    assert hidden.output == ""


def test_progress_is_told_step_by_step() -> None:
    steps: list[ProgressEvent] = []
    judge(ScriptedTarget(), on_progress=steps.append)
    assert [step.kind for step in steps] == ["compiling", "compiled", "case", "case", "finished"]
    assert (steps[3].index, steps[3].total) == (2, 2)


def broken(actor: Actor) -> None:
    actor.receive()
    actor.answer()
    actor.receive()
    os.write(actor.diagnostics, b'{"severity": "error", "kind": "oracle", "message": "KeyError: n"}\n')


def test_a_program_that_left_the_oracle_no_memory_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judgement failed and was tried again, as often as the program wanted."""
    charged = (Verdict.MEMORY_LIMIT, "It holds too much.")
    monkeypatch.setattr(HostReferee, "overdrawn", lambda _: charged)
    report = judge(ScriptedTarget(oracle=broken))
    assert (report.verdict, report.message) == charged
    cancelled = threading.Event()
    cancelled.set()
    assert judge(ScriptedTarget(oracle=broken), cancelled=cancelled).verdict is Verdict.CANCELLED


def test_a_broken_reference_is_our_failure_and_no_verdict() -> None:
    with pytest.raises(OracleFailed, match="KeyError: n"):
        judge(ScriptedTarget(oracle=broken))


def test_cancelling_gives_the_verdict_cancelled() -> None:
    cancelled = threading.Event()

    def hang(actor: Actor) -> None:
        while actor.receive() is RequestKind.LOAD:
            actor.answer()
        cancelled.set()
        time.sleep(0.3)

    report = judge(ScriptedTarget(runner=hang), cancelled=cancelled)
    assert report.verdict is Verdict.CANCELLED


def test_every_submission_is_judged_on_seeds_of_its_own() -> None:
    seeds: list[int] = []

    def remember(actor: Actor) -> None:
        if not actor.request.flags & RunFlag.GIVEN:
            seeds.append(actor.request.seed)
        draw(actor)

    for _ in range(3):
        judge(ScriptedTarget(oracle=serve(remember)))
    assert len(set(seeds)) == len(seeds) == 6, "the case is drawn twice"


def test_small_cases_are_watched_and_run_in_three_orders() -> None:
    flags: list[RunFlag] = []

    def remember(actor: Actor) -> None:
        flags.append(actor.request.flags)
        double(actor)

    judge(ScriptedTarget(runner=serve(remember)))
    watched, stale = RunFlag.DETERMINISTIC | RunFlag.RACES, RunFlag.STALE_READS
    first = watched | stale
    further = [watched | RunFlag.REVERSED, watched | RunFlag.INTERLEAVED | stale]
    assert flags == [first, *further, first | RunFlag.COUNT, *further, first], "the last with other inputs"


@pytest.mark.parametrize(
    ("mode", "counted"), [(Mode.RUN, ["example", "odd", "large"]), (Mode.SUBMIT, ["odd"])]
)
def test_runs_count_traffic_on_each_case_and_submissions_on_the_largest_small_one(
    mode: Mode, counted: list[str]
) -> None:
    example, odd, _ = DOUBLING.cases
    large = replace(odd, name="large", sizes={"n": 1 << 20})
    assert list(counted_cases(DOUBLING, (example, odd, large), mode)) == counted


def test_the_largest_small_hidden_case_with_random_inputs_is_checked_twice() -> None:
    example, odd, timed = DOUBLING.cases
    small, large = replace(odd, sizes={"n": 5}), replace(odd, sizes={"n": 1 << 20})
    stated = replace(odd, sizes={"n": 40}, inputs={"x": (1.0,) * 40})
    assert redrawn_case(DOUBLING, (example, small, odd, stated, large)) is odd
    assert redrawn_case(DOUBLING, (example, large)) is None
    assert redrawn_case(DOUBLING, (example, odd, timed)) is None
    assert redrawn_case(replace(DOUBLING, arguments=DOUBLING.arguments[1:]), (example, odd)) is None


class TestOutputsThatAProgramKeeps:
    SOURCE = "#include <map>\nstd::map<int, int> kept;\nvoid solve() { kept[1] = 2; }\n"

    @staticmethod
    def count_up() -> Script:
        """An oracle whose inputs differ from call to call."""
        numbers = itertools.count(1)

        def count(actor: Actor) -> None:
            draw(actor)
            if not actor.request.flags & RunFlag.GIVEN:
                actor.array(0, "f4")[:] = number = next(numbers)
                actor.array(4, "f8")[:] = 2 * number

        return serve(count)

    @staticmethod
    def keep(actor: Actor) -> None:
        """A runner that keeps the output of the first call with each size."""
        kept: dict[int, npt.NDArray[np.generic]] = {}

        def work(actor: Actor) -> None:
            x = actor.array(0, "f4")
            actor.array(1, "f4")[:] = kept.setdefault(len(x), x * 2)

        serve(work)(actor)

    @pytest.mark.parametrize(
        ("language", "named"), [(Language.CUDA, ": kept (line 2)"), (Language.TRITON, "")]
    )
    def test_they_are_wrong_for_other_inputs(self, language: Language, named: str) -> None:
        target = ScriptedTarget(runner=self.keep, oracle=self.count_up())
        report = judge(target, source=self.SOURCE, language=language)
        example, odd = report.cases
        assert (example.verdict, odd.verdict) == (Verdict.ACCEPTED, Verdict.WRONG_ANSWER)
        assert odd.message.endswith(
            "The previous call, with the same sizes and other inputs, was correct. "
            f"The program keeps something between calls{named}. Compute it in each call."
        )

    def test_a_program_that_is_wrong_for_these_inputs_alone_is_not_said_to_keep_anything(self) -> None:
        def work(actor: Actor) -> None:
            x = actor.array(0, "f4")
            actor.array(1, "f4")[:] = x * (3 if x[0] == 2 and len(x) > 3 else 2)

        report = judge(ScriptedTarget(runner=serve(work), oracle=self.count_up()), source=self.SOURCE)
        assert report.cases[1].verdict is Verdict.WRONG_ANSWER
        assert report.cases[1].message.endswith("with the same sizes and other inputs, was correct.")

    def test_runs_do_not_check_a_case_twice(self) -> None:
        target = ScriptedTarget(runner=self.keep, oracle=self.count_up())
        assert judge(target, mode=Mode.RUN).verdict is Verdict.ACCEPTED


def test_a_run_takes_the_public_cases() -> None:
    assert [case.name for case in select_cases(DOUBLING, Mode.RUN, None, ranked=False)] == ["example"]


def test_the_author_of_a_problem_runs_the_small_cases_too() -> None:
    example, odd, timed = DOUBLING.cases
    large = replace(odd, name="large", sizes={"n": 1 << 20})
    problem = with_small_public(replace(DOUBLING, cases=(example, odd, large, timed)))
    names = [case.name for case in select_cases(problem, Mode.RUN, None, ranked=False)]
    assert names == ["example", "odd"]


def test_a_ranking_target_takes_the_timed_cases_too() -> None:
    assert len(select_cases(DOUBLING, Mode.SUBMIT, None, ranked=True)) == 3


def test_sizes_of_ones_own_make_one_public_case() -> None:
    (case,) = select_cases(DOUBLING, Mode.RUN, {"n": 5}, ranked=False)
    assert (case.sizes, case.public) == ({"n": 5}, True)


@pytest.mark.parametrize(
    "sizes", [{}, {"m": 3}, {"n": 0}, {"n": -1}, {"n": 2**31}, {"n": MAX_CUSTOM_BYTES}, {"n": 1, "m": 1}]
)
def test_sizes_that_do_not_fit_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(SizesInvalid):
        select_cases(DOUBLING, Mode.RUN, sizes, ranked=False)


def test_a_size_beyond_the_limit_of_the_problem_is_refused() -> None:
    limited = replace(DOUBLING, limits=replace(DOUBLING.limits, sizes={"n": 8}))
    assert select_cases(limited, Mode.RUN, {"n": 8}, ranked=False)
    with pytest.raises(SizesInvalid, match="size n must be from 1 to 8, not 9"):
        select_cases(limited, Mode.RUN, {"n": 9}, ranked=False)


def seeds_of(**options: object) -> dict[int, list[int]]:
    """The seeds that the oracle was given, by the size of the case, in one judgement."""
    seen: dict[int, list[int]] = {}

    def watch(actor: Actor) -> None:
        if not actor.request.flags & RunFlag.GIVEN:
            seen.setdefault(len(actor.array(0, "f4")), []).append(actor.request.seed)
        draw(actor)

    judge(ScriptedTarget(oracle=serve(watch)), **options)
    return seen


def test_a_problem_that_its_score_ranks_has_the_same_contents_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = tuple(replace(case, inputs={}) for case in DOUBLING.cases)
    drawn = replace(DOUBLING, cases=cases)
    ranked = replace(drawn, cases=cases[:-1], score=ScoreRule("Regret", Better.LOWER, 0, 1))
    forgeable = replace(ranked, requirements=(Requirement(Counter.LAUNCHES, Relation.AT_MOST, 1, "One."),))
    timed = replace(ranked, cases=cases)
    for problem, same in ((ranked, True), (forgeable, False), (timed, False), (drawn, False)):
        monkeypatch.setitem(globals(), "DOUBLING", problem)
        first, again, other = (seeds_of(board_key=key) for key in (b"key", b"key", b"other"))
        assert (first == again) is same
        assert len({seed for seeds in (first, other) for of_size in seeds.values() for seed in of_size}) == 6
        assert seeds_of(board_key=None) != first
        assert seeds_of(board_key=b"key", mode=Mode.RUN)[3] != first[3]


def test_a_seed_of_ones_own_draws_the_same_again() -> None:
    own = {"mode": Mode.RUN, "sizes": {"n": 5}}
    assert seeds_of(**own, seed=7) == {5: [7]}
    (first,), (second,) = seeds_of(**own).values(), seeds_of(**own).values()
    assert first != second
    assert min(first[0], second[0]) > MAX_SEED, "128 bits that nobody chose"


def test_a_seed_never_draws_a_hidden_case() -> None:
    with pytest.raises(ValueError, match="only in runs"):
        judge(ScriptedTarget(), seed=7)
    drawn = seeds_of(mode=Mode.RUN, seed=7)
    assert set(drawn) <= {case.sizes["n"] for case in DOUBLING.cases if case.public}


def test_a_cpu_is_no_gpu_of_a_model() -> None:
    with pytest.raises(GpuUnavailable, match="NVIDIA H200"):
        judge(ScriptedTarget(), gpu_model="NVIDIA H200")


def test_a_library_that_the_problem_does_not_allow_is_rejected_before_it_is_compiled() -> None:
    problem = replace(DOUBLING, limits=replace(DOUBLING.limits, libraries=(Library.THRUST,)))
    target = ScriptedTarget()
    source = "#include <cub/cub.cuh>"
    report = evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=target)
    assert report.verdict is Verdict.REJECTED
    assert "cub" in report.message
    assert report.stages == ()


def test_a_library_that_is_linked_is_rejected_where_the_problem_does_not_name_it() -> None:
    source = "#include <cublas_v2.h>"
    report = evaluate(DOUBLING, source, language=Language.CUDA, mode=Mode.SUBMIT, target=ScriptedTarget())
    assert report.verdict is Verdict.REJECTED
    assert report.message == "cublas_v2.h belongs to cublas, which this problem does not allow."


def test_what_is_accepted_on_a_gpu_that_the_problem_is_not_judged_on_is_not_ranked() -> None:
    class Card(ScriptedTarget):
        ranks = True

        def environment(self, language: Language) -> Mapping[str, str]:
            return {"target": "scripted", "gpu": "NVIDIA A100-SXM4-80GB"}

    problem = replace(DOUBLING, limits=replace(DOUBLING.limits, gpus=("H100", "H200")))
    report = evaluate(problem, "source", language=Language.CUDA, mode=Mode.SUBMIT, target=Card())
    assert report.verdict is Verdict.ACCEPTED
    assert not report.ranked
    assert report.message == (
        "Not ranked: this problem is ranked on H100 or H200, but this ran on NVIDIA A100-SXM4-80GB."
    )


def test_a_wrong_answer_is_examined_where_it_is_the_verdict() -> None:
    """A missing barrier answers wrongly, and only functional mode says why."""
    race = Diagnostic(Severity.WARNING, "race", "Two threads write here.", line=7)
    examined: list[str] = []

    class Examining(ScriptedTarget):
        def examine(self, *asked: object) -> tuple[Diagnostic, ...]:
            examined.append(asked[3].name)  # type: ignore[attr-defined]
            return (race,)

    def answer_wrongly(actor: Actor) -> None:
        actor.array(1, "f4")[:] = -1

    report = judge(Examining(serve(answer_wrongly)))
    assert report.verdict is Verdict.WRONG_ANSWER
    assert [case.verdict for case in report.cases] == [Verdict.WRONG_ANSWER] * 2
    assert examined == ["example"]
    assert race in report.diagnostics
    assert judge(Examining()).verdict is Verdict.ACCEPTED
    assert examined == ["example"]


class RaceCheck:
    """A run under racecheck, which prints what it finds."""

    alive = True
    output = b""
    profile_report = None

    def __init__(self, *found: Diagnostic) -> None:
        self.diagnostics = found
        self.did: list[str] = []

    def ready(self) -> None:
        self.did.append("ready")

    def load(self, *_: bytes) -> None:
        self.did.append("load")

    def check(self, drawn: CaseData, _: RunFlag) -> None:
        self.did.append(drawn.case.name)

    def finish(self) -> None:
        self.did.append("finish")

    def close(self) -> None:
        self.did.append("close")


def test_a_sanitized_program_is_checked_for_races_in_one_more_run(monkeypatch: pytest.MonkeyPatch) -> None:
    race, launch = (
        Diagnostic(Severity.ERROR, "race", "A barrier is missing."),
        Diagnostic(Severity.NOTE, "launch", "One."),
    )
    run = RaceCheck(race, launch)
    monkeypatch.setattr(CpuSession, "start_race_check", lambda _: run)
    assert race not in judge(ScriptedTarget()).diagnostics
    assert run.did == []
    report = judge(ScriptedTarget(), tool=Tool.MEMCHECK)
    assert report.verdict is Verdict.ACCEPTED
    assert race in report.diagnostics
    assert launch not in report.diagnostics
    assert run.did == ["ready", "load", "odd", "finish", "close"]


def test_a_target_without_racecheck_has_no_further_run() -> None:
    report = judge(ScriptedTarget(), tool=Tool.MEMCHECK)
    assert report.verdict is Verdict.ACCEPTED
    assert "examine" not in {stage.name for stage in report.stages}


def test_a_run_shows_its_outputs_and_a_submission_does_not() -> None:
    run = judge(ScriptedTarget(), mode=Mode.RUN)
    assert [output.argument for case in run.cases for output in case.outputs]
    assert all(output.values == output.expected for case in run.cases for output in case.outputs)
    assert all(case.public for case in run.cases if case.outputs)
    assert not any(case.outputs for case in judge(ScriptedTarget()).cases)


def test_custom_sizes_show_their_outputs() -> None:
    (case,) = judge(ScriptedTarget(), mode=Mode.RUN, sizes={"n": 100}).cases
    (output,) = case.outputs
    assert (output.shape, output.corner) == ((100,), (1, 64))
