"""Tests proofs: which programs are tried, and the findings that follow from their outcomes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from judge.proof.batches.trials import trial_of
from judge.proof.coverage import check_coverage, check_shapes
from judge.proof.programs import findings_on, try_solutions, wrong_reference
from judge.proof.prove import prove_on
from judge.proof.results import ProgramOutcome, Proof, ProofCheck, SectionState, from_json, to_json
from judge.proof.statement_checks import (
    bounds_in,
    check_constraints,
    check_example,
    check_mentions,
    check_scalars,
    numbers_in,
)
from judge.proof.timed_sizes import check_timed, find_gpu, floor_us, measure_timed, needed_bytes
from judge.proof.trivial import cuda_length, trivial_programs
from judge.report import CaseReport, Diagnostic, ProgressEvent, Report, WrongOutput
from problems.formula import Formula
from problems.schema import Argument, Case, IgnoredMutant, Problem, ScoreRule, Solution, Tolerance
from problems.vocabulary import Better, Dtype, Group, Language, Role, Severity, Verdict
from tests.unit.judge.environment import SCALING, InProcessOracle, ScriptedBench
from web.catalog.management.commands.prove import render

RIGHT = {"count - 1": Verdict.WRONG_ANSWER, "right": Verdict.ACCEPTED, "slow": Verdict.TIME_LIMIT}
KERNEL = "__global__ void right(float* y, int count) { if (threadIdx.x < count) y[0] = 0; }"


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    """A problem with enough solutions, whose sources name what they are."""
    solutions = []
    for name, verdict in {
        "right-plain.cu": Verdict.ACCEPTED,
        "right-fast.cu": Verdict.ACCEPTED,
        "right-plain.py": Verdict.ACCEPTED,
        "right-fast.py": Verdict.ACCEPTED,
        "slow.cu": Verdict.TIME_LIMIT,
        "off-by-one.cu": Verdict.WRONG_ANSWER,
        "racy.cu": Verdict.WRONG_ANSWER,
        "odd.cu": Verdict.WRONG_ANSWER,
        "zeros.py": Verdict.WRONG_ANSWER,
    }.items():
        (tmp_path / name).write_text(KERNEL if name == "right-plain.cu" else f"// {name}")
        language = Language.CUDA if name.endswith(".cu") else Language.TRITON
        solutions.append(Solution(tmp_path / name, language, verdict, "A note."))
    return replace(SCALING, solutions=tuple(solutions))


class TestProve:
    def test_holds_when_everything_is_as_expected(self, problem: Problem) -> None:
        proof = prove_on(problem, ScriptedBench(RIGHT))
        assert proof.findings == ()
        assert proof.holds
        assert len(proof.outcomes) == 9 + 2 * 6
        assert all(outcome.holds for outcome in proof.outcomes)

    def test_names_a_solution_with_another_verdict(self, problem: Problem) -> None:
        proof = prove_on(problem, ScriptedBench({**RIGHT, "racy": Verdict.ACCEPTED}))
        [finding] = proof.findings
        assert finding.place == "solutions/racy.cu"
        assert finding.text == "expected wrong_answer, got accepted: example: said the judge"
        assert not proof.holds

    def test_tells_why_a_solution_does_not_compile(self) -> None:
        told = ("line 3: x is undefined", "line 9: expected a brace")
        report = Report(
            Verdict.COMPILE_ERROR,
            message=told[0],
            diagnostics=(
                Diagnostic(Severity.ERROR, "compiler", "x is undefined", line=3),
                Diagnostic(Severity.ERROR, "compiler", "expected a brace", line=9),
            ),
        )
        trial = trial_of(report)
        assert trial.findings == told
        outcome = ProgramOutcome(
            "solutions/a.cu",
            Language.CUDA,
            Verdict.ACCEPTED,
            trial.verdict,
            trial.message,
            1.0,
            trial.findings,
        )
        (finding,) = findings_on(outcome)
        assert finding.text == "expected accepted, got compile_error: line 3: x is undefined"
        assert finding.details == told[1:]
        proof = Proof("s", "v", (finding,), (outcome,))
        assert from_json(json.loads(json.dumps(to_json(proof)))) == proof
        assert "\n      line 9: expected a brace\n" in render(proof)

    def test_some_solutions_run_alone_with_the_compilers_log(self, problem: Problem) -> None:
        bench = ScriptedBench({**RIGHT, "racy": Verdict.ACCEPTED})
        tried = try_solutions(problem, ["racy.cu", "slow.cu", "none.cu"], bench, lambda _: None)
        assert [outcome.program for outcome in tried.outcomes] == ["solutions/slow.cu", "solutions/racy.cu"]
        assert [finding.place for finding in tried.findings] == ["solutions/racy.cu"]
        assert [section.check for section in tried.sections] == [ProofCheck.SOLUTIONS]
        assert from_json(to_json(tried)) == tried
        assert trial_of(Report(Verdict.ACCEPTED, log="x" * 10**6)).log == "x" * 8000

    def test_the_shares_of_wrong_elements_are_kept_for_each_wrong_output(self) -> None:
        right = CaseReport("small", Group.SMALL, public=False, verdict=Verdict.ACCEPTED)
        wrong = (WrongOutput("loss", 1, 1), WrongOutput("grad", 3000, 1000))
        case = CaseReport("odd", Group.ODD, public=False, verdict=Verdict.WRONG_ANSWER, wrong_outputs=wrong)
        trial = trial_of(Report(Verdict.WRONG_ANSWER, cases=(right, case)))
        assert trial.wrong == {"odd": {"loss": 1.0, "grad": 0.333}}

    def test_on_a_gpu_a_solution_may_get_what_it_says_of_gpus(self, problem: Problem) -> None:
        solutions = [
            replace(solution, gpu_verdicts=(Verdict.ACCEPTED, Verdict.TIME_LIMIT))
            if solution.path.name == "slow.cu"
            else solution
            for solution in problem.solutions
        ]
        problem = replace(problem, solutions=tuple(solutions))
        verdicts = {**RIGHT, "slow": Verdict.ACCEPTED}
        assert prove_on(problem, ScriptedBench(verdicts, on_gpu=True)).findings == ()
        [finding] = prove_on(problem, ScriptedBench(verdicts)).findings
        assert finding.place == "solutions/slow.cu"

    def test_refuses_a_problem_that_accepts_zeros(self, problem: Problem) -> None:
        proof = prove_on(problem, ScriptedBench({**RIGHT, "y.fill_(0)": Verdict.ACCEPTED}))
        [finding] = proof.findings
        assert (finding.place, finding.text) == ("trivial program zeros (triton)", "is accepted")

    def test_warns_when_a_trivial_program_was_not_compared(self, problem: Problem) -> None:
        proof = prove_on(problem, ScriptedBench({**RIGHT, "y.fill_(1)": Verdict.COMPILE_ERROR}))
        [finding] = proof.findings
        assert finding.severity is Severity.WARNING
        assert proof.holds

    def test_counts_the_mutants_that_fail(self, problem: Problem) -> None:
        proof = prove_on(problem, ScriptedBench(RIGHT))
        [mutant] = proof.mutants
        assert (mutant.program, mutant.name, mutant.line) == (
            "solutions/right-plain.cu",
            "dropped-last-element-1",
            1,
        )
        assert mutant.change == "count → count - 1"
        assert proof.mutation_score == 1.0

    def test_refuses_a_problem_whose_cases_miss_mutants(self, problem: Problem) -> None:
        proof = prove_on(problem, ScriptedBench({**RIGHT, "count - 1": Verdict.ACCEPTED}))
        score, survivor = proof.findings
        assert score.text == "0 of 1 mutants fail, a score of 0.00; 0.9 is needed"
        assert survivor.severity is Severity.WARNING
        assert survivor.place == "mutant dropped-last-element-1 of solutions/right-plain.cu"
        assert survivor.text == "is accepted; in line 1, count → count - 1"
        assert 'mutant = "dropped-last-element-1"' in survivor.fix
        assert not proof.holds

    def test_takes_an_authors_word_for_a_mutant_that_computes_the_same(self, problem: Problem) -> None:
        entry = IgnoredMutant("right-plain.cu", "dropped-last-element-1", KERNEL, "It is never reached.")
        proof = prove_on(replace(problem, mutants_ignored=(entry,)), ScriptedBench(RIGHT))
        assert proof.holds
        assert [mutant.ignored for mutant in proof.mutants] == ["It is never reached."]
        assert proof.mutation_score is None
        stale = replace(entry, line="if (threadIdx.x < size)")
        proof = prove_on(replace(problem, mutants_ignored=(stale,)), ScriptedBench(RIGHT))
        [finding] = proof.findings
        assert finding.text.startswith("right-plain.cu has no mutant dropped-last-element-1 in the line")

    def test_makes_no_mutants_of_what_is_not_accepted(self, problem: Problem) -> None:
        proof = prove_on(problem, ScriptedBench({"count - 1": Verdict.WRONG_ANSWER}))
        assert proof.mutants == ()

    def test_stops_at_a_broken_reference(self, problem: Problem) -> None:
        environment = ScriptedBench(RIGHT)
        proof = prove_on(replace(problem, reference="def generate(xp, rng, size): return 1 / 0"), environment)
        assert not proof.holds
        assert proof.findings[-1].place == "reference.py"
        assert environment.judged == []

    def test_tells_how_far_it_is(self, problem: Problem) -> None:
        steps: list[ProgressEvent] = []
        prove_on(problem, ScriptedBench(RIGHT), on_progress=steps.append)
        assert steps[0].text == ProofCheck.COVERAGE.heading
        programs = [step for step in steps if step.index is not None]
        assert (programs[0].text, programs[0].index, programs[0].total) == ("solutions/right-plain.cu", 1, 22)
        assert programs[1].text == "solutions/right-plain.cu: accepted, as expected"
        assert steps[-1].index == 22


class TestReport:
    """The form in which a proof is stored and shown."""

    def proof(self, problem: Problem) -> Proof:
        return prove_on(problem, ScriptedBench({**RIGHT, "racy": Verdict.ACCEPTED}))

    def test_has_a_section_for_everything(self, problem: Problem) -> None:
        sections = {section.check: section.state for section in self.proof(problem).sections}
        assert sections[ProofCheck.SOLUTIONS] is SectionState.FAILS
        assert sections[ProofCheck.TRIVIAL] is sections[ProofCheck.MUTANTS] is SectionState.HOLDS

    def test_says_what_was_skipped(self, problem: Problem) -> None:
        broken = replace(problem, reference="def generate(xp, rng, size): return 1 / 0")
        sections = {s.check: s.state for s in prove_on(broken, ScriptedBench(RIGHT)).sections}
        assert sections[ProofCheck.CONTENTS] is SectionState.FAILS
        assert sections[ProofCheck.TOLERANCES] is sections[ProofCheck.SOLUTIONS] is SectionState.SKIPPED

    def test_survives_json(self, problem: Problem) -> None:
        proof = self.proof(problem)
        stored = json.loads(json.dumps(to_json(proof)))
        assert from_json(stored) == proof
        assert stored["holds"] is False
        assert stored["sections"][0]["title"] == ProofCheck.COVERAGE.heading

    def test_reads_what_knows_less_or_more(self) -> None:
        body = {"slug": "s", "version": "v", "findings": [], "outcomes": [], "invented_later": 1}
        assert from_json(body) == Proof("s", "v", (), ())


class TestTrivialPrograms:
    def test_cover_both_languages(self) -> None:
        names = [(program.name, program.language) for program in trivial_programs(SCALING)]
        each = ["nothing", "zeros", "ones", "nan", "copy of x", "mean of x"]
        assert names == [(name, language) for language in SCALING.languages for name in each]

    def test_a_mean_is_no_trivial_answer_where_one_number_is_asked_for(self) -> None:
        x, y, n = SCALING.arguments
        total = replace(SCALING, arguments=(x, replace(y, shape=(Formula.parse("1"),)), n))
        names = [program.name for program in trivial_programs(total)]
        assert "copy of x" in names
        assert "mean of x" not in names

    def test_lengths_come_from_the_scalars(self) -> None:
        rows, cols = Formula.parse("rows"), Formula.parse("cols")
        window = Argument("w", Role.IN, Dtype.FLOAT32, (rows, Formula.parse("cols // 2 + 1")))
        scalars = (
            Argument("height", Role.SCALAR, Dtype.INT32, value=rows),
            Argument("width", Role.SCALAR, Dtype.INT32, value=cols),
        )
        problem = replace(SCALING, arguments=(window, *scalars))
        assert cuda_length(problem, window) == "1ll * (height) * (width / 2 + 1)"
        assert cuda_length(replace(SCALING, arguments=(window, scalars[0])), window) == ""

    def test_a_scalar_can_be_a_computed_length(self) -> None:
        length = Formula.parse("n + 1")
        array = Argument("x", Role.OUT, Dtype.FLOAT32, (length,))
        problem = replace(
            SCALING, arguments=(array, Argument("length", Role.SCALAR, Dtype.INT32, value=length))
        )
        assert cuda_length(problem, array) == "1ll * (length)"
        assert "zeros" in [program.name for program in trivial_programs(problem)]

    def test_integers_are_never_nan(self) -> None:
        x, y, n = SCALING.arguments
        counts = replace(SCALING, arguments=(x, replace(y, dtype=Dtype.INT32, tolerance=Tolerance()), n))
        assert "nan" not in [program.name for program in trivial_programs(counts)]


class TestCoverage:
    def texts(self, problem: Problem) -> list[str]:
        return [finding.text for finding in (*check_coverage(problem), *check_shapes(problem))]

    def test_counts_solutions(self) -> None:
        assert self.texts(SCALING) == [
            "0 accepted solutions in cuda",
            "0 accepted solutions in triton",
            "0 failing solutions",
        ]

    def test_wants_odd_and_small_sizes(self, problem: Problem) -> None:
        even = replace(problem, cases=(Case("even", Group.ODD, {"n": 8}), problem.cases[2]))
        assert self.texts(even) == [
            "no hidden case has an odd number of elements",
            "no hidden case has an array of one element",
        ]

    def test_wants_wide_and_tall_shapes(self, problem: Problem) -> None:
        x, y, n = problem.arguments
        shape = (Formula.parse("n"), Formula.parse("n + 1"))
        flat = replace(problem, arguments=(replace(x, shape=shape), y, n))
        assert "x is never taller than wide" in self.texts(flat)

    def test_what_has_one_element_in_every_case_counts_for_nothing(self, problem: Problem) -> None:
        x, y, n = problem.arguments
        bytes_moved = Formula.parse("4 * n")
        total = replace(
            problem, arguments=(x, replace(y, shape=(Formula.parse("1"),)), n), bytes_moved=bytes_moved
        )
        assert self.texts(replace(total, cases=(Case("even", Group.ODD, {"n": 8}), problem.cases[2]))) == [
            "no hidden case has an odd number of elements",
            "no hidden case has an array of one element",
        ]

    def test_refuses_a_floor_above_the_arrays(self, problem: Problem) -> None:
        greedy = replace(problem, bytes_moved=Formula.parse("12 * n"))
        assert "gives 36 bytes for case example, but its arrays hold 24" in self.texts(greedy)


class TestTimedSizes:
    def timed(self, n: int) -> Problem:
        return replace(SCALING, cases=(*SCALING.cases[:2], Case("t", Group.TIMED, {"n": n})))

    def found(self, problem: Problem, gpu: str = "H200") -> list[tuple[str, str]]:
        measured = measure_timed(problem, find_gpu(gpu))
        return [(finding.text, finding.fix) for finding in check_timed(problem, measured)]

    def test_a_perfect_program_follows_from_the_data_sheet(self) -> None:
        assert floor_us(SCALING, {"n": 6 * 10**8}, find_gpu("NVIDIA H200")) == pytest.approx(1000)
        assert self.found(self.timed(1 << 24)) == []

    def test_short_cases_get_longer_sizes_advised(self) -> None:
        [(text, fix)] = self.found(self.timed(1 << 20))
        assert text == "a perfect program takes 1.7 µs on a GPU H200, too short to rank"
        assert fix.endswith("until it takes 20 µs or more, such as { n = 16777216 }")
        assert self.found(self.timed(1 << 20), gpu="T4") == []

    def test_large_cases_get_smaller_sizes_advised(self) -> None:
        [(text, fix)] = self.found(self.timed(2**31 - 2))
        assert text == "its arrays take 16.0 GiB"
        assert fix.endswith("such as { n = 536870911 }")
        [(text, fix)] = self.found(self.timed(1 << 29), gpu="Tesla T4")
        assert text.startswith("judging it takes ")
        assert "such as { n = " in fix

    def test_memory_counts_sets_buffers_and_the_reference(self) -> None:
        case = self.timed(1 << 24).cases[-1]
        assert needed_bytes(SCALING, case) > 6 * 12 * 2**24

    def test_a_problem_that_its_score_ranks_has_none(self) -> None:
        ranked = replace(SCALING, cases=SCALING.cases[:2], score=ScoreRule("Regret", Better.LOWER, 0, 1))
        assert self.found(ranked) == []

    def test_a_problem_has_timed_cases(self) -> None:
        assert self.found(replace(SCALING, cases=SCALING.cases[:2]))[0][0] == "no timed case"

    def test_unknown_models_are_refused(self) -> None:
        with pytest.raises(ValueError, match="no data sheet for 'Voodoo'"):
            find_gpu("Voodoo")


class TestExposition:
    def test_every_argument_is_mentioned(self) -> None:
        assert list(check_mentions(SCALING)) == []
        unnamed = replace(SCALING, statement=SCALING.statement.replace("`n`", "some"))
        [finding] = check_mentions(unnamed)
        assert finding.text == "the argument n is not mentioned"

    @pytest.mark.parametrize(
        ("text", "numbers"),
        [
            ("| 1, 2.5, -3 |", ["1", "2.5", "-3"]),
            (r"\begin{bmatrix} 1 & -2 \\ 3 & 4 \end{bmatrix}", ["1", "-2", "3", "4"]),
            ("\N{MINUS SIGN}1.5 and 1e-3", ["-1.5", "1e-3"]),
            ("a 4-by-4 float32 matrix", ["4", "4"]),
            (r"$50\,000$", ["50000"]),
        ],
    )
    def test_numbers_are_found(self, text: str, numbers: list[str]) -> None:
        assert numbers_in(text) == numbers

    @pytest.mark.parametrize(
        ("shown", "right"), [("2.1, 4.2, 6.3", True), ("2, 4, 6", True), ("2, 4, 7", False)]
    )
    def test_the_example_is_true(self, shown: str, right: bool) -> None:
        statement = SCALING.statement.replace("2.1, 4.2, 6.3", shown)
        drawn = InProcessOracle(SCALING).draw(SCALING.cases[0])
        found = list(check_example(replace(SCALING, statement=statement), "example", drawn.expected))
        assert (found == []) is right

    @pytest.mark.parametrize(
        ("said", "right"),
        [
            ("| `n` | 3 |", True),
            ("with `n` = 4", False),
            ("there are `n` of them", True),
            ("| `m`, `n` | 4, 3 |", True),
            ("| `n`, `m` | 4, 3 |", False),
        ],
    )
    def test_the_examples_scalars_are_true(self, said: str, right: bool) -> None:
        statement = SCALING.statement.replace("## Constraints", f"{said}\n\n## Constraints")
        found = list(check_scalars(replace(SCALING, statement=statement), SCALING.cases[0]))
        assert (found == []) is right

    def constraints(self, text: str, n: int = 500) -> list[str]:
        statement = SCALING.statement.partition("Each element")[0] + text
        large = Case("large-one", Group.LARGE, {"n": n})
        problem = replace(SCALING, statement=statement, cases=(*SCALING.cases, large))
        return [finding.text for finding in check_constraints(problem)]

    TOLERANCE = r"Within $10^{-6} + 10^{-6}\,|y|$."

    def test_constraints_state_the_tolerance(self) -> None:
        assert self.constraints(self.TOLERANCE) == []
        assert self.constraints("Within 1e-6.") == []
        assert self.constraints(r"Within $2 \cdot 10^{-6}$ and 0.1.") == [
            "does not state the absolute tolerance of y, 1e-06",
            "does not state the relative tolerance of y, 1e-06",
        ]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (r"$1 \le n \le 70\,000\,000$", []),
            (r"$1 \le n \le 2^{26}$", []),
            (r"$2 \le n$", ["promises 2 <= n, broken by case one"]),
            (r"$1 \le$ `n` $\le 100$.", ["promises n <= 100, broken by the cases timed, large-one"]),
            (r"$0 \le x_i \leq 5$ and $R \le n$", []),
        ],
    )
    def test_cases_keep_the_bounds(self, text: str, said: list[str]) -> None:
        assert self.constraints(f"{text}\n{self.TOLERANCE}") == said

    def test_bounds_are_read_from_tex(self) -> None:
        text = r"- $1 \le \text{rows}, \text{cols}$ and $\text{rows} \cdot \text{cols} \le 2^{27}$."
        pairs = [(low.text, high.text) for low, high in bounds_in(text)]
        assert pairs == [("1", "rows"), ("1", "cols"), ("rows * cols", "134217728")]

    @pytest.mark.parametrize(
        "text",
        [
            r"- $1 \le n \le 8$, $2 \le m \le 4$",
            "- `1 <= n <= 8`, `2 <= m <= 4`",
            "- 1 <= n <= 8, 2 <= m <= 4",
            r"- $1 \le n \le 8, 2 \le m \le 4$",
        ],
    )
    def test_two_bounds_in_one_line_are_two_chains(self, text: str) -> None:
        pairs = [(low.text, high.text) for low, high in bounds_in(text)]
        assert pairs == [("1", "n"), ("n", "8"), ("2", "m"), ("m", "4")]

    def test_spans_with_names_only_are_two_chains(self) -> None:
        pairs = [(low.text, high.text) for low, high in bounds_in(r"$n \le rows$, $m \le cols$")]
        assert pairs == [("n", "rows"), ("m", "cols")]


class TestWrongReferences:
    def outcome(self, wrong: bool, expected: Verdict = Verdict.ACCEPTED) -> ProgramOutcome:
        verdict = Verdict.WRONG_ANSWER if wrong else Verdict.ACCEPTED
        cases = {SCALING.cases[0].name: verdict}
        return ProgramOutcome("a", Language.CUDA, expected, verdict, "", 1.0, cases=cases)

    def test_a_reference_that_differs_from_all_right_solutions_is_named(self) -> None:
        outcomes = [self.outcome(True), self.outcome(True), self.outcome(True, Verdict.WRONG_ANSWER)]
        (finding,) = wrong_reference(SCALING, outcomes)
        case = SCALING.cases[0].name
        assert finding.place == "reference.py"
        assert finding.text == f"all 2 solutions that should be accepted are wrong in the case {case}"

    @pytest.mark.parametrize("wrong", [[True], [True, False], [False, False]])
    def test_another_one_is_not(self, wrong: list[bool]) -> None:
        assert not list(wrong_reference(SCALING, [self.outcome(each) for each in wrong]))
