"""Tests the importer of LeetGPU with our own folders, one for each feature of the format."""

import shutil

import numpy as np
import pytest

from problems.importing.building import loaded
from problems.importing.report import Imported, ImportOutcome
from problems.schema import Case, Problem
from problems.vocabulary import Count, Dtype, Group, Language, Role
from tests.unit.problems.importing.workbench import SETS, here, imported

pytest.importorskip("torch")
pytestmark = pytest.mark.xdist_group("importing-leetgpu")  # imported once, not in every process
SET = SETS / "leetgpu"


@pytest.fixture(scope="module")
def found() -> dict[str, Imported]:
    return {
        place.rpartition("_")[0].rpartition("/")[2][:3]: i for place, i in imported("leetgpu", SET).items()
    }


def problem(found: dict[str, Imported], number: str) -> Problem:
    assert not found[number].entry.reason, found[number].entry.reason
    return loaded(found[number].entry.slug, found[number].files)


def test_every_challenge_is_reported(found: dict[str, Imported]) -> None:
    outcomes = {number: i.entry.outcome for number, i in sorted(found.items())}
    refused = {"905", "907", "908", "912"}
    assert {number for number, outcome in outcomes.items() if outcome is ImportOutcome.REFUSED} == refused
    assert all(not found[number].files for number in refused)


def test_arguments_come_in_order_with_the_dtypes_of_tensors(found: dict[str, Imported]) -> None:
    told = [(a.name, a.role, a.dtype) for a in problem(found, "902").arguments]
    assert told == [
        ("output", Role.OUT, Dtype.FLOAT32),
        ("rows", Role.SCALAR, Dtype.INT32),
        ("input", Role.IN, Dtype.FLOAT32),
        ("cols", Role.SCALAR, Dtype.INT32),
    ]
    half = problem(found, "904").arguments
    assert [a.dtype for a in half] == [Dtype.FLOAT16, Dtype.FLOAT16, Dtype.INT64, Dtype.INT64]


def test_no_time_is_refused_by_counts_that_no_author_has_confirmed(found: dict[str, Imported]) -> None:
    assert set(problem(found, "902").beatable) == set(Count)


def test_sizes_and_shapes_are_found(found: dict[str, Imported]) -> None:
    read = problem(found, "902")
    shapes = {a.name: [f.text for f in a.shape] for a in read.arguments if a.shape}
    assert shapes == {"output": ["rows"], "input": ["rows", "cols"]}
    assert read.bytes_moved.evaluate({"rows": 3, "cols": 5, "variant": 1}) == 4 * (3 + 15)
    assert {case.group for case in read.cases} >= {Group.SAMPLE, Group.ODD, Group.LARGE, Group.TIMED}
    assert {case.sizes["variant"] for case in read.cases} == {1, 2}


def test_fractions_are_scalars(found: dict[str, Imported]) -> None:
    read = problem(found, "901")
    alpha = next(a for a in read.arguments if a.name == "alpha")
    values = {case.name: alpha.value.number(case.sizes) for case in read.cases}
    assert values["functional-2"] == -1.25
    assert values["functional-4"] == 0.01


def test_what_is_drawn_is_the_authors_and_new_each_time(found: dict[str, Imported]) -> None:
    read = problem(found, "901")
    case = next(c for c in read.cases if c.name == "functional-3")
    with here(read) as oracle:
        one, same, other = (oracle.draw(case, seed) for seed in (5, 5, 6))
    assert np.array_equal(one["in x"], same["in x"])
    assert not np.array_equal(one["in x"], other["in x"])  # though the author seeds with 7
    assert np.array_equal(one["y"], one["in x"].astype(np.float64) * 3.0 + 1.0)  # in float64


def test_sizes_of_which_there_is_no_test_are_drawn_alike(found: dict[str, Imported]) -> None:
    read = problem(found, "902")
    case = read.cases[1].__class__("own", Group.SMALL, {"rows": 7, "cols": 11, "variant": 1})
    with here(read) as oracle:
        drawn = oracle.draw(case, 1)
    assert drawn["in input"].shape == (7, 11)
    assert abs(drawn["in input"].mean()) < 1
    assert np.allclose(drawn["output"], (drawn["in input"].astype(float) ** 2).sum(axis=1))


def test_initial_contents_that_matter_make_an_output_inout(found: dict[str, Imported]) -> None:
    read = problem(found, "903")
    roles = {a.name: a.role for a in read.arguments}
    assert roles["out"] is Role.INOUT
    assert roles["count"] is Role.OUT
    assert any("leaves some elements unchanged" in w for w in found["903"].entry.warnings)
    assert next(a for a in read.arguments if a.name == "out").tolerance.absolute == 0  # exact comparison
    with here(read) as oracle:
        drawn = oracle.draw(next(c for c in read.cases if c.group is Group.LARGE), 3)
    kept = int(drawn["count"][0])
    assert 0 < kept < len(drawn["out"])
    assert not drawn["out"][kept:].any()


def test_infinities_come_through(found: dict[str, Imported]) -> None:
    read = problem(found, "904")
    assert any("x holds infinities" in w for w in found["904"].entry.warnings)
    assert not read.cases[0].inputs  # a page shows none
    with here(read) as oracle:
        drawn = oracle.draw(next(c for c in read.cases if c.name == "functional-3"), 3)
    assert np.isneginf(drawn["in x"][:, ::3]).all()
    assert np.isfinite(drawn["out"]).all()


def test_a_reference_that_depends_on_chance_is_refused(found: dict[str, Imported]) -> None:
    assert "uses global random numbers" in found["905"].entry.reason


def test_two_gpus_and_broken_python_are_refused(found: dict[str, Imported]) -> None:
    assert "needs 2 GPUs" in found["907"].entry.reason
    assert "NameError: name 'missing_name'" in found["908"].entry.reason
    assert "challenge.py, line" in found["908"].entry.reason
    assert "does not say whether x is in, out or inout" in found["912"].entry.reason


def test_modules_are_for_python_alone(found: dict[str, Imported]) -> None:
    read = problem(found, "906")
    assert read.languages == (Language.PYTHON,)
    module = read.python.modules["model_module"]
    assert (module.kind, dict(module.state)) == ("Linear", {"weight": "model_weight", "bias": "model_bias"})
    with here(read) as oracle:
        drawn = oracle.draw(next(c for c in read.cases if c.name == "functional-2"), 3)
    expected = (
        drawn["in input"].astype(float) @ drawn["in model_weight"].astype(float).T + drawn["in model_bias"]
    )
    assert np.allclose(drawn["output"], expected)


def test_inout_exact_integers_and_the_generators_of_python_and_numpy(found: dict[str, Imported]) -> None:
    read = problem(found, "909")
    counts = read.arguments[0]
    assert (counts.role, counts.dtype) == (Role.INOUT, Dtype.INT64)
    case = next(c for c in read.cases if c.name == "functional-2")
    with here(read) as oracle:
        one, same, other = (oracle.draw(case, seed) for seed in (5, 5, 6))
    assert np.array_equal(one["in counts"], same["in counts"])
    assert not np.array_equal(one["in counts"], other["in counts"])
    assert np.array_equal(one["counts"], one["in counts"] - 3)


def test_small_timed_cases_are_flagged_and_larger_sizes_offered(found: dict[str, Imported]) -> None:
    entry = found["902"].entry
    assert any("less than 1 MiB" in w for w in entry.warnings)
    assert entry.sizes["performance-1"]["rows"] * entry.sizes["performance-1"]["cols"] * 4 >= 64 << 20
    timed = next(c for c in problem(found, "902").cases if c.group is Group.TIMED)
    assert timed.sizes["rows"] == 64  # offered, not taken


def test_with_scale_they_are_taken(tmp_path) -> None:
    shutil.copytree(SET / "challenges" / "core", tmp_path / "challenges" / "core")
    name = "medium/902_row_norms"
    shutil.copytree(SET / "challenges" / name, tmp_path / "challenges" / name)
    (found,) = imported("leetgpu", tmp_path, scale=True).values()
    timed = next(c for c in loaded(found.entry.slug, found.files).cases if c.group is Group.TIMED)
    assert dict(timed.sizes) == dict(found.entry.sizes["performance-1"])


def test_the_statement_has_the_sections_and_the_example_of_the_sample(found: dict[str, Imported]) -> None:
    text = found["901"].files["statement.md"].decode()
    assert text.startswith("Compute `Y[i]")
    assert "| input `x` | 1, 2, -3 |" in text
    assert "| output `y` | 1.5, 2, -0.5 |" in text
    assert "![Figure 1 of the statement](figures/figure-1.svg)" in text
    assert "alert" not in text
    assert b"evil" not in found["901"].files["figures/figure-1.svg"]
    assert found["901"].files["starter/cuda.cu"].startswith(b"#include <cuda_runtime.h>")


def test_the_base_class_must_be_there(tmp_path) -> None:
    shutil.copytree(SET / "challenges" / "easy", tmp_path / "easy")
    found = imported("leetgpu", tmp_path)
    assert all("core/challenge_base.py is not in the set" in i.entry.reason for i in found.values())


def test_one_difficulty_within_a_whole_set_would_do(tmp_path) -> None:
    shutil.copytree(SET / "challenges" / "core", tmp_path / "core")
    shutil.copytree(SET / "challenges/easy/909_bump_in_place", tmp_path / "easy/909_bump_in_place")
    (found,) = imported("leetgpu", tmp_path).values()
    assert found.entry.slug == "bump-in-place"
    assert loaded(found.entry.slug, found.files).difficulty == "easy"


def test_calls_of_many_arguments_and_folders_of_odd_names(found: dict[str, Imported]) -> None:
    read = problem(found, "910")
    assert (read.slug, len(read.arguments), len(read.cases[0].sizes)) == ("wide-call-large", 12, 6)
    assert [a.name for a in read.arguments if a.role is Role.INOUT] == ["first", "second"]
    case = next(c for c in read.cases if c.name == "functional-2")
    with here(read) as oracle:
        drawn = oracle.draw(case, 1)
    chosen = drawn["in weight"].astype(float)[drawn["in position"]]
    first = drawn["in first"] + 0.5 * chosen * drawn["in x"]
    second = drawn["in second"] - (chosen - 0.5)
    assert np.allclose(drawn["first"], first)
    assert np.allclose(drawn["difference"], (first - second).sum(axis=1))


def test_unsigned_numbers_are_compared(found: dict[str, Imported]) -> None:
    read = problem(found, "911")
    assert [(a.name, a.role, a.dtype) for a in read.arguments[:2]] == [
        ("keys", Role.IN, Dtype.INT32),
        ("mixed", Role.OUT, Dtype.UINT32),
    ]
    case = next(c for c in read.cases if c.name == "functional-1")
    with here(read) as oracle:
        drawn = oracle.draw(case, 1)
    word = int(drawn["in keys"][0])
    assert drawn["mixed"][0] == ((word ^ (word >> 7)) * 40503 + 12345) % 2**32


def test_outputs_that_the_set_makes_as_zeros_start_at_zero(found: dict[str, Imported]) -> None:
    (mixed,) = [a for a in problem(found, "911").arguments if a.role is Role.OUT]
    assert mixed.zeroed
    assert b"`mixed` holds zeros before each call." in found["911"].files["statement.md"]
    for number in ("901", "902", "904"):  # they leave their outputs empty
        assert not any(a.zeroed for a in problem(found, number).arguments)


def test_invented_cases_keep_contents_in_order(found: dict[str, Imported]) -> None:
    read = problem(found, "913")
    (odd,) = [case for case in read.cases if case.name == "odd-sizes"]
    assert odd.sizes["m"] <= odd.sizes["n"]
    with here(read) as oracle:
        drawn = oracle.draw(odd, 1)
    assert np.all(np.diff(drawn["in a"]) >= 0)
    assert np.ptp(drawn["in a"]) > 1


def test_invented_cases_keep_what_holds_of_the_sizes_of_all_tests(found: dict[str, Imported]) -> None:
    read = problem(found, "914")
    invented = [case for case in read.cases if case.name in {"odd-sizes", "large-sizes"}]
    assert invented
    for case in invented:
        assert case.sizes["width"] % (2 * case.sizes["heads"]) == 0
        assert case.sizes["words"] >= 600
        assert case.sizes["width"] <= 2048
    assert all(np.max(here_drawn(read, case)["in places"]) < case.sizes["words"] for case in invented)


def here_drawn(read: Problem, case: Case) -> dict[str, np.ndarray]:
    with here(read) as oracle:
        return dict(oracle.draw(case, 1))
