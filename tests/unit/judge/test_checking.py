"""Tests outputs with an author's checker: its answer becomes the comparison of the referee."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from judge.dtypes import narrow
from judge.errors import OracleFailed
from judge.oracle import Drawn
from judge.proof.checker_audit import check_checker
from judge.proof.determinism import draw_exact
from judge.proof.prove import examine
from judge.proof.results import ProofCheck, SectionState
from judge.runner.buffers import HostMemory
from judge.runner.checking import ByChecker, Compared, checker_manifest
from judge.runner.client import RunnerChannel
from judge.runner.comparison import OutputComparison
from judge.runner.inspector import _result
from judge.runner.referee import contents_of
from problems.checker_rules import parse_rules
from problems.schema import Problem, ScoreRule, Tolerance
from problems.vocabulary import ArrayMemory, Better, Dtype, Severity
from tests.unit.judge.environment import SCALING, InProcessChecker, InProcessOracle, ScriptedBench

SIGN = """
def check(xp, inputs, expected, got, size, tolerance):
    assert got["y"].shape == (size["n"],) and inputs["x"].shape == (size["n"],)
    return {"y": abs(got["y"]) == abs(expected["y"].astype("float32"))}
"""


def compared(
    problem: Problem, drawn: Drawn, got: npt.NDArray[np.generic], poisons: Mapping[str, Any] | None = None
) -> OutputComparison:
    return everything(problem, drawn, got, poisons).outputs["y"]


def everything(
    problem: Problem, drawn: Drawn, got: npt.NDArray[np.generic], poisons: Mapping[str, Any] | None = None
) -> Compared:
    checking = ByChecker(problem, HostMemory(), cast("RunnerChannel", InProcessChecker()))
    snapshots = {"y": np.ascontiguousarray(got).reshape(-1).view(np.uint8)}
    contents = contents_of(problem, drawn)
    return checking.compare(drawn.case, contents, snapshots=snapshots, poisons=poisons or {})


def custom(checker: str = SIGN, dtype: Dtype = Dtype.FLOAT32) -> Problem:
    x, y, n = SCALING.arguments
    return replace(SCALING, checker=checker, arguments=(x, replace(y, dtype=dtype), n))


@pytest.fixture
def drawn() -> Drawn:
    return InProcessOracle(SCALING).draw(SCALING.cases[1], 3)


class TestComparing:
    def test_what_the_checker_takes_passes_however_far_it_is(self, drawn: Drawn) -> None:
        answer = -drawn.expected["y"].astype(np.float32)
        found = compared(custom(), drawn, answer)
        assert (found.checked, found.mismatched) == (37, 0)

    def test_what_it_refuses_fails_with_both_values_shown(self, drawn: Drawn) -> None:
        answer = drawn.expected["y"].astype(np.float32)
        answer[5] += 1
        found = compared(custom(), drawn, answer)
        [mismatch] = found.mismatches
        assert (found.mismatched, mismatch.index) == (1, (5,))
        assert float(mismatch.got) == pytest.approx(float(answer[5]))
        assert float(mismatch.expected) == pytest.approx(float(drawn.expected["y"][5]))

    def test_a_refused_answer_fails_though_it_is_what_is_expected(self, drawn: Drawn) -> None:
        nothing = "def check(xp, inputs, expected, got, size, tolerance):\n    return False\n"
        for answer in (drawn.expected["y"], np.zeros(37), np.full(37, np.nan), np.full(37, np.inf)):
            exact = replace(drawn, expected={"y": np.asarray(answer, np.float64)})
            assert compared(custom(nothing), exact, answer.astype(np.float32)).mismatched == 37

    @pytest.mark.parametrize("dtype", [Dtype.FLOAT64, Dtype.BFLOAT16, Dtype.INT32, Dtype.UINT8, Dtype.BOOL])
    @pytest.mark.parametrize("answer", [True, False])
    def test_every_dtype_goes_through(self, drawn: Drawn, dtype: Dtype, answer: bool) -> None:
        says = f"def check(xp, inputs, expected, got, size, tolerance):\n    return {{'y': {answer}}}\n"
        kind = np.float64 if dtype.is_float else dtype.value
        exact = replace(drawn, expected={"y": (np.arange(37) % 2).astype(kind)})
        stored = narrow(exact.expected["y"], dtype)
        assert compared(custom(says, dtype), exact, stored).mismatched == (0 if answer else 37)

    def test_what_may_be_nan_may_be_nan(self, drawn: Drawn) -> None:
        everything = "def check(xp, inputs, expected, got, size, tolerance):\n    return True\n"
        answer = np.array([np.nan, np.inf, -np.inf, 0, -0.0] + [1.0] * 32, np.float32)
        assert compared(custom(everything), drawn, answer).mismatched == 0

    def test_poison_that_is_refused_was_never_written(self, drawn: Drawn) -> None:
        poison = drawn.expected["y"].astype(np.float32) + 1
        found = compared(custom(), drawn, poison, {"y": poison.view(np.uint8)})
        assert found.unwritten == 37
        assert found.mismatches[0].got == "never written"

    def test_it_sees_copies_and_the_tolerance(self, drawn: Drawn) -> None:
        careless = """
def check(xp, inputs, expected, got, size, tolerance):
    close = abs(got["y"] - expected["y"]) <= tolerance["y"]["absolute"]
    got["y"][:] = 0
    expected["y"][:] = 0
    return close.all()
"""
        x, y, n = SCALING.arguments
        problem = replace(custom(careless), arguments=(x, replace(y, tolerance=Tolerance(0, 0.5)), n))
        exact = drawn.expected["y"].astype(np.float64)
        assert compared(problem, drawn, (exact + 0.4).astype(np.float32)).mismatched == 0
        assert compared(problem, drawn, (exact + 0.6).astype(np.float32)).mismatched == 37

    def test_it_gets_all_arrays_on_its_own_device(
        self, drawn: Drawn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its sandbox has one GPU and maps only memory of this GPU."""
        monkeypatch.delattr(HostMemory, "host_buffer")
        x, y, n = SCALING.arguments
        problem = replace(custom(), arguments=(replace(x, memory=ArrayMemory.HOST, device=1), y, n))
        assert compared(problem, drawn, drawn.expected["y"].astype(np.float32)).mismatched == 0

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ("return 1 / 0", "division by zero"),
            ("return {'z': True}", r"check returned results for \['z'\], expected \['y'\]"),
            ("return {'y': got['y']}", "check returned float64 for y, expected a bool or an array"),
            ("return {'y': got['y'][1:] > 0}", r"returned shape \(36,\) for y, expected \(37,\)"),
        ],
    )
    def test_one_that_breaks_is_charged_to_nobody(self, drawn: Drawn, body: str, said: str) -> None:
        problem = custom(f"def check(xp, inputs, expected, got, size, tolerance):\n    {body}\n")
        with pytest.raises(OracleFailed, match=f"(?s)scaling: checking case odd: died: .*{said}"):
            compared(problem, drawn, drawn.expected["y"].astype(np.float32))

    def test_the_manifest_names_what_it_sees(self) -> None:
        manifest = checker_manifest(custom()).decode()
        assert '"inputs": ["x"], "sizes": ["n"], "outputs": ["y"]' in manifest


SCORING = """
def check(xp, inputs, expected, got, size, tolerance):
    right = abs(got["y"]) == abs(expected["y"].astype("float32"))
    return right, {score}
"""


class TestScores:
    RULE = ScoreRule("Regret", Better.LOWER, -1, 1)

    def problem(self, score: str, checker: str = SCORING) -> Problem:
        return replace(custom(checker.replace("{score}", score)), score=self.RULE)

    def score(self, problem: Problem, drawn: Drawn, got: npt.NDArray[np.generic]) -> float | None:
        return everything(problem, drawn, got).score

    @pytest.mark.parametrize("score", ["0.25", "xp.asarray(0.25)", "xp.full(1, 0.25)[0]", "True / 4"])
    def test_a_right_output_has_one(self, drawn: Drawn, score: str) -> None:
        answer = -drawn.expected["y"].astype(np.float32)
        assert self.score(self.problem(score), drawn, answer) == 0.25

    @pytest.mark.parametrize("score", ["0.25", "2", "xp.nan", "None"])
    def test_a_wrong_output_has_none_whatever_the_checker_says(self, drawn: Drawn, score: str) -> None:
        answer = drawn.expected["y"].astype(np.float32) + 1
        assert self.score(self.problem(score), drawn, answer) is None

    @pytest.mark.parametrize(
        ("score", "said"),
        [
            ("1.5", "check returned the score 1.5, which is not from -1 to 1"),
            ("xp.nan", "check returned the score nan, which is not from -1 to 1"),
            ("xp.inf", "check returned the score inf"),
            ("None", "check returned NoneType as the score, expected a number"),
            ("got", "check returned dict as the score"),
        ],
    )
    def test_bounds_are_kept(self, drawn: Drawn, score: str, said: str) -> None:
        with pytest.raises(OracleFailed, match=said):
            self.score(self.problem(score), drawn, drawn.expected["y"].astype(np.float32))

    def test_it_is_returned_with_the_answer(self, drawn: Drawn) -> None:
        with pytest.raises(OracleFailed, match="check must return 2 values: which elements"):
            self.score(self.problem("", SIGN), drawn, drawn.expected["y"].astype(np.float32))

    def test_the_referee_looks_at_the_bounds_too(self, drawn: Drawn) -> None:
        loose = InProcessChecker()
        checking = ByChecker(self.problem("0.5"), HostMemory(), cast("RunnerChannel", loose))
        checking.open()
        assert loose.signature is not None
        loose.signature = replace(loose.signature, score=(-9, 9))
        loose.module.__dict__["check"] = lambda *_, **__: (True, 7.0)
        with pytest.raises(OracleFailed, match="the score is 7"):
            checking.compare(
                drawn.case,
                contents_of(SCALING, drawn),
                snapshots={"y": drawn.expected["y"].astype(np.float32).view(np.uint8)},
                poisons={},
            )


RULES = """
RULES = {{"cheap": "The plan costs too much.", "late": "More than 1 % are late."}}

def check(xp, inputs, expected, got, size, tolerance):
    return {answer}
"""


class TestRules:
    def problem(self, answer: str, score: ScoreRule | None = None) -> Problem:
        source = RULES.format(answer=answer)
        return replace(custom(source), checker_rules=parse_rules(source), score=score)

    @pytest.mark.parametrize("score", [None, TestScores.RULE])
    def test_a_broken_rule_is_told_in_the_words_of_the_package(
        self, drawn: Drawn, score: ScoreRule | None
    ) -> None:
        answer = "True, 0.5, 'late'" if score else "True, 'late'"
        found = everything(self.problem(answer, score), drawn, drawn.expected["y"].astype(np.float32))
        assert (found.rule, found.score) == ("More than 1 % are late.", None)
        assert found.outputs["y"].mismatched == 37

    def test_without_a_broken_rule_the_elements_decide(self, drawn: Drawn) -> None:
        right = drawn.expected["y"].astype(np.float32)
        found = everything(self.problem("True, 0.5, None", TestScores.RULE), drawn, right)
        assert (found.rule, found.score, found.outputs["y"].mismatched) == ("", 0.5, 0)
        found = everything(self.problem("False, None"), drawn, right)
        assert (found.rule, found.outputs["y"].mismatched) == ("", 37)

    def test_a_rule_does_not_count_where_an_element_is_wrong(self, drawn: Drawn) -> None:
        one = "{'y': xp.arange(37) != 5}, 'late'"
        found = everything(self.problem(one), drawn, drawn.expected["y"].astype(np.float32))
        assert (found.rule, found.outputs["y"].mismatched) == ("", 1)

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ("True", "check must return 2 values: which elements are right, and the name of the broken rule"),
            ("True, 'dear'", "check returned the rule 'dear', which is not in RULES"),
        ],
    )
    def test_another_answer_is_a_failure_of_the_problem(self, drawn: Drawn, answer: str, said: str) -> None:
        with pytest.raises(OracleFailed, match=said):
            everything(self.problem(answer), drawn, drawn.expected["y"].astype(np.float32))

    def test_the_referee_looks_at_the_index_too(self, drawn: Drawn) -> None:
        loose = InProcessChecker()
        checking = ByChecker(self.problem("True, 'late'"), HostMemory(), cast("RunnerChannel", loose))
        checking.open()
        assert loose.signature is not None
        loose.signature = replace(loose.signature, rules=("a", "b", "late"))
        with pytest.raises(OracleFailed, match="there is no rule 2"):
            checking.compare(
                drawn.case,
                contents_of(SCALING, drawn),
                snapshots={"y": drawn.expected["y"].astype(np.float32).view(np.uint8)},
                poisons={},
            )

    def test_a_report_has_the_sentence_and_no_elements(self, drawn: Drawn) -> None:
        found = everything(self.problem("True, 'late'"), drawn, drawn.expected["y"].astype(np.float32))
        result = _result(found, found.outputs, set())
        assert (result.message, result.mismatched, result.mismatches) == (found.rule, 0, ())


class TestProving:
    def texts(self, checker: str) -> list[str]:
        problem, environment = custom(checker), ScriptedBench()
        exact = draw_exact(problem, environment.oracle)
        with environment.checker(problem) as accepts:
            return [finding.text for finding in check_checker(problem, exact, accepts)]

    def test_a_good_one_has_no_findings(self) -> None:
        assert self.texts(SIGN) == []

    def test_one_that_takes_anything(self) -> None:
        everything = "def check(xp, inputs, expected, got, size, tolerance):\n    return True\n"
        assert self.texts(everything) == ["accepts random bits as an answer, in every case"]

    def test_one_that_refuses_the_right_answer(self) -> None:
        exact = SIGN.replace('.astype("float32")', "")
        assert self.texts(exact) == ["rejects the reference's own answer to case odd"]

    def test_a_proof_asks_it_instead_of_the_tolerances(self) -> None:
        near = """
def check(xp, inputs, expected, got, size, tolerance):
    return {"y": abs(got["y"] - 2.1 * inputs["x"]) <= 1e-4}
"""
        proof = examine(custom(near), ScriptedBench())
        sections = {section.check: section.state for section in proof.sections}
        assert sections[ProofCheck.CHECKER] is SectionState.HOLDS
        [report] = proof.tolerances
        assert all(attempt.passes == attempt.honest for attempt in report.attempts)
        assert report.advised_relative is None

    def test_a_loose_one_lets_lower_precision_through(self) -> None:
        loose = """
def check(xp, inputs, expected, got, size, tolerance):
    return {"y": abs(got["y"] - expected["y"]) <= 5}
"""
        [finding, *_] = examine(custom(loose), ScriptedBench()).findings_of(ProofCheck.TOLERANCES)
        assert "all computed in bfloat16" in finding.text

    def test_one_that_breaks_is_a_finding(self) -> None:
        proof = examine(custom("def check(*arguments, **sizes):\n    return 1 / 0\n"), ScriptedBench())
        [finding] = [f for f in proof.findings if f.severity is Severity.ERROR and "division" in f.text]
        assert finding.place == "checker.py"
