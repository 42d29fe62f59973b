"""Tests the importer of KernelBench with our own files, one for each feature of the format."""

import math

import numpy as np
import pytest

from problems.calling import PythonEntry
from problems.importing.building import loaded
from problems.importing.kernel_bench import candidates
from problems.importing.report import Imported, ImportOutcome
from problems.schema import Problem, Tolerance
from problems.vocabulary import Difficulty, Group, Language, Role
from tests.unit.problems.importing.workbench import SETS, here, imported

pytest.importorskip("torch")
pytestmark = pytest.mark.xdist_group("importing-kernel-bench")  # imported once, not in every process
CLIP = "level1/19_Leaky_clip.py"
LOSS = "level1/94_Absolute_loss.py"
LINEAR = "level2/9_Linear_scale_relu.py"
CONVOLUTION = "level2/61_Conv_norm_pool.py"
DROPPED = "level3/5_Dropped.py"
THIN = "level3/7_Thin_stack.py"
TUPLES = "level2/33_Tuple_norm.py"
STATE = "level3/8_Kept_state.py"
DEEP = "level3/9_Deep_gates.py"
SQUARE = "level2/12_Square_linear.py"
HUGE = "level1/21_Huge_block.py"
SHORT = "level1/22_Short_memory.py"


@pytest.fixture(scope="module")
def found() -> dict[str, Imported]:
    return imported("kernel_bench", SETS / "kernel_bench")


def problem(found: dict[str, Imported], place: str) -> Problem:
    assert not found[place].entry.reason, found[place].entry.reason
    return loaded(found[place].entry.slug, found[place].files)


def test_every_file_is_reported(found: dict[str, Imported]) -> None:
    known = {CLIP, LOSS, LINEAR, CONVOLUTION, DROPPED, THIN, TUPLES, STATE, DEEP, SQUARE, HUGE, SHORT}
    assert set(found) == known
    assert found[DROPPED].entry.outcome is ImportOutcome.REFUSED
    assert "uses global random numbers" in found[DROPPED].entry.reason


def test_an_array_with_more_elements_than_a_size_can_count_is_left_out(found: dict[str, Imported]) -> None:
    problem(found, HUGE)
    said = found[HUGE].entry.warnings
    assert any("omitted timed: x has 2147483648 elements in 5 dimensions" in warning for warning in said)


def test_cases_that_need_too_much_memory_become_the_greatest_test_that_was_drawn(
    found: dict[str, Imported],
) -> None:
    sizes = {case.group: [*case.sizes.values()] for case in problem(found, SHORT).cases}
    assert 6 < math.prod(sizes[Group.LARGE]) <= 4096
    assert sizes[Group.TIMED] == [4096, 8192]


def test_a_model_without_parameters(found: dict[str, Imported]) -> None:
    read = problem(found, CLIP)
    assert (read.slug, read.title, read.difficulty) == ("leaky-clip", "Leaky clip", Difficulty.EASY)
    assert read.languages == (Language.PYTHON,)
    assert [(a.name, a.role) for a in read.arguments] == [("x", Role.IN), ("output", Role.OUT)]
    call = read.python
    assert call is not None
    assert (call.entry, call.init.text, call.given.text, call.state) == (
        PythonEntry.MODEL_NEW,
        "()",
        "(x,)",
        {},
    )
    assert read.arguments[1].tolerance == Tolerance(1e-4, 1e-4)
    timed = next(case for case in read.cases if case.group is Group.TIMED)
    assert sorted(timed.sizes.values()) == [4096, 16384]


def test_other_sizes_are_made_by_other_numbers_at_the_head(found: dict[str, Imported]) -> None:
    read = problem(found, CLIP)
    groups = {case.group for case in read.cases}
    assert groups >= {Group.SAMPLE, Group.ODD, Group.LARGE, Group.TIMED}
    sample = read.cases[0]
    assert len(sample.inputs["x"]) == 2 * 3
    odd = [tuple(case.sizes.values()) for case in read.cases if case.group is Group.ODD]
    assert (1, 1) in odd
    assert any(first < second for first, second in odd)
    assert any(first > second for first, second in odd)


def test_parameters_are_arrays_and_what_changes_is_a_scalar(found: dict[str, Imported]) -> None:
    read = problem(found, LINEAR)
    call = read.python
    assert call is not None
    assert call.state == {"lift": "lift", "linear.weight": "linear_weight", "linear.bias": "linear_bias"}
    assert call.init.text == "(in_features, out_features, 0.5, (1,))"
    roles = {a.name: a.role for a in read.arguments}
    assert roles["linear_weight"] is Role.IN
    assert roles["in_features"] is Role.SCALAR


def test_the_expected_output_follows_from_the_parameters(found: dict[str, Imported]) -> None:
    read = problem(found, LINEAR)
    case = next(c for c in read.cases if c.group is Group.ODD)
    with here(read) as oracle:
        drawn = oracle.draw(case, 3)
    x, weight, bias, lift = (
        drawn[f"in {name}"].astype(np.float64) for name in ("x", "linear_weight", "linear_bias", "lift")
    )
    np.testing.assert_allclose(drawn["output"], np.maximum((x @ weight.T + bias) * 0.5 + lift, 0), rtol=1e-12)


def test_many_parameters_share_an_array_and_buffers_stay(found: dict[str, Imported]) -> None:
    read = problem(found, CONVOLUTION)
    call = read.python
    assert call is not None
    assert set(call.state.values()) == {"parameters"}
    assert list(call.state)[:2] == ["scale", "shift"]
    assert "norm.running_mean" not in call.state
    assert len(next(a for a in read.arguments if a.name == "parameters").shape) == 1


def test_one_number_is_an_array_of_one(found: dict[str, Imported]) -> None:
    read = problem(found, LOSS)
    output = read.arguments[-1]
    assert [f.text for f in output.shape] == ["1"]
    assert [a.name for a in read.arguments[:2]] == ["predictions", "targets"]


def test_the_module_itself_is_a_solution_and_the_statement_shows_it(found: dict[str, Imported]) -> None:
    files = found[LINEAR].files
    assert b"class ModelNew(Model)" in files["solutions/model.torch.py"]
    assert "class Model(nn.Module)" in files["statement.md"].decode()
    assert "class ModelNew(torch.nn.Module):" in problem(found, LINEAR).starters[Language.PYTHON]


def test_numbers_that_make_the_model_shrink_together() -> None:
    tried = list(candidates({"batch": 128, "height": 64}, {"channels": 32, "heads": 8}))
    first = next(numbers for kind, numbers in tried if kind == "sample")
    assert first == {"batch": 2, "height": 3, "channels": 4, "heads": 1}
    assert tried[-1] == ("timed", {})
    kinds = list(dict.fromkeys(kind for kind, _ in tried))
    assert kinds == ["sample", "least", "wide", "tall", "large", "timed"]


def test_kernels_stay_while_channels_shrink() -> None:
    tried = list(candidates({"batch": 64, "height": 128}, {"channels": 64, "kernel_size": 7, "stride": 2}))
    first = next(numbers for kind, numbers in tried if kind == "sample")
    assert first == {"batch": 2, "height": 3, "channels": 4, "kernel_size": 7, "stride": 2}
    samples = [numbers for kind, numbers in tried if kind == "sample"]
    kept = [numbers["kernel_size"] == 7 for numbers in samples]
    assert kept.index(False) == len(samples) // 2  # none of another kernel before all of this one


def test_few_of_something_stay(found: dict[str, Imported]) -> None:
    tried = list(candidates({"batch": 64, "channels": 3}, {}))
    assert tried[:2] == [("sample", {"batch": 2, "channels": 3}), ("sample", {"batch": 2, "channels": 3})]
    assert ("wide", {"batch": 3, "channels": 3}) in tried
    assert ("wide", {"batch": 3, "channels": 5}) in tried
    assert tried[-1] == ("timed", {})
    read = problem(found, THIN)
    assert next(a for a in read.arguments if a.name == "x").shape[1].text == "3"
    assert {case.group for case in read.cases} >= {Group.SAMPLE, Group.ODD, Group.LARGE, Group.TIMED}
    assert not any("it has no example" in warning for warning in found[THIN].entry.warnings)


def test_numbers_within_tuples_make_the_model(found: dict[str, Imported]) -> None:
    read = problem(found, TUPLES)
    assert read.python is not None
    assert read.python.init.text == "((shape_1, shape_2), [shape_1, 1])"
    assert {case.group for case in read.cases} >= {Group.SAMPLE, Group.ODD, Group.LARGE, Group.TIMED}
    case = next(c for c in read.cases if c.group is Group.LARGE)
    with here(read) as oracle:
        drawn = oracle.draw(case, 3)
    x = drawn["in x"].astype(np.float64)
    centred = x - x.mean(axis=(2, 3), keepdims=True)
    normal = centred / np.sqrt(x.var(axis=(2, 3), keepdims=True) + 1e-5)
    moved = normal * drawn["in norm_weight"] + drawn["in norm_bias"] + drawn["in offset"]
    np.testing.assert_allclose(drawn["output"], np.maximum(moved, 0), rtol=1e-6, atol=1e-7)


def test_numbers_at_the_head_may_be_calculated_unpacked_and_in_tuples(found: dict[str, Imported]) -> None:
    read = problem(found, TUPLES)
    shapes = [
        tuple(f.evaluate(case.sizes) for f in read.arguments[0].shape)
        for case in read.cases
        if case.group in {Group.SAMPLE, Group.TIMED}
    ]
    assert shapes == [(2, 3, 2, 4), (1024, 6, 32, 64)]


def test_a_model_that_knows_its_batch_varies_by_what_makes_it(found: dict[str, Imported]) -> None:
    read = problem(found, STATE)
    assert {case.group for case in read.cases} >= {Group.SAMPLE, Group.ODD, Group.LARGE, Group.TIMED}
    assert "variant" not in read.cases[0].sizes
    said = found[STATE].entry.warnings
    assert not any("one size" in warning or "no test fits" in warning for warning in said)


def test_a_model_of_fewer_layers_is_another_one(found: dict[str, Imported]) -> None:
    read = problem(found, DEEP)
    assert read.python is not None
    assert set(read.python.state) == {f"layers.{index}.weight" for index in range(32)}
    assert not any("left out" in w for w in found[DEEP].entry.warnings)


def test_numbers_that_happen_to_be_equal_are_told_apart(found: dict[str, Imported]) -> None:
    read = problem(found, SQUARE)
    shapes = {a.name: [extent.text for extent in a.shape] for a in read.arguments}
    assert shapes["linear_weight"] == ["out_features", "in_features"]
    assert shapes["linear_bias"] == ["out_features"]
    assert shapes["output"][1] == "out_features"
