"""Tests the importer of Tensara with our own definitions, one for each feature of the format."""

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from judge.errors import OracleFailed
from problems.importing.building import loaded
from problems.importing.report import Imported, ImportOutcome
from problems.schema import Problem
from problems.vocabulary import Difficulty, Dtype, Group, Role
from sandbox.runner import examine
from sandbox.runner.session import run_module
from tests.unit.problems.importing.workbench import SETS, apart, here, imported

pytest.importorskip("torch")
import torch

from sandbox.runner.torch_host import place_on_host

pytestmark = pytest.mark.xdist_group("importing-tensara")  # imported once, not in every process


@pytest.fixture(scope="module")
def found() -> dict[str, Imported]:
    return {i.entry.slug: i for i in imported("tensara", SETS / "tensara").values()}


def problem(found: dict[str, Imported], slug: str) -> Problem:
    assert not found[slug].entry.reason, found[slug].entry.reason
    return loaded(slug, found[slug].files)


def test_every_definition_is_reported(found: dict[str, Imported]) -> None:
    assert sorted(found) == [
        "axis-argmax",
        "bare-blend",
        "clip-and-count",
        "head-offset",
        "hop-distances",
        "leaky-scale",
        "modular-pairs",
        "no-class",
        "row-shift",
        "shaped-mean",
        "typed-offset",
        "window-sums",
    ]
    assert "not define the class no_class" in found["no-class"].entry.reason


def test_the_head_of_the_statement_is_taken_over(found: dict[str, Imported]) -> None:
    read = problem(found, "axis-argmax")
    assert (read.title, read.difficulty) == ("Argmax over an Axis", Difficulty.MEDIUM)
    assert read.tags[0] == "imported"
    assert "reduction" in read.tags
    assert "## Notes:" in read.statement
    assert "slug:" not in read.statement


def test_arguments_are_inputs_outputs_extra_parameters(found: dict[str, Imported]) -> None:
    told = [(a.name, a.role, a.dtype) for a in problem(found, "clip-and-count").arguments]
    assert told == [
        ("limit", Role.SCALAR, Dtype.FLOAT32),
        ("input", Role.IN, Dtype.FLOAT32),
        ("clipped", Role.OUT, Dtype.FLOAT32),
        ("count", Role.OUT, Dtype.INT32),
        ("shape", Role.IN, Dtype.INT32),
    ]


def test_lists_of_the_host_are_told_from_those_of_the_device(found: dict[str, Imported]) -> None:
    words = "in host memory in the set"
    assert any(w.startswith("shape") and words in w for w in found["axis-argmax"].entry.warnings)
    assert not any(words in w for w in found["clip-and-count"].entry.warnings)


def test_tolerances_are_read_off_the_check(found: dict[str, Imported]) -> None:
    clipped = next(a for a in problem(found, "clip-and-count").arguments if a.name == "clipped")
    assert (clipped.tolerance.absolute, clipped.tolerance.relative) == (2e-3, 1e-4)
    warnings = found["leaky-scale"].entry.warnings
    assert any("attributes that other methods set" in w for w in warnings)
    assert any("became checker.py" in w for w in warnings)


def test_a_tolerance_by_dtype_is_that_of_float32(found: dict[str, Imported]) -> None:
    output = next(a for a in problem(found, "row-shift").arguments if a.name == "output")
    assert (output.tolerance.absolute, output.tolerance.relative) == (2e-5, 3e-4)
    assert "checker.py" not in found["row-shift"].files


def test_a_check_of_its_own_becomes_a_checker(found: dict[str, Imported]) -> None:
    assert "checker.py" not in found["clip-and-count"].files
    read = problem(found, "leaky-scale")
    case = read.cases[0]
    data = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])
    right = np.where(data > 0, data, 0.5 * data)
    with apart(), place_on_host():
        module = run_module(compile(read.checker, "checker.py", "exec"), "checker")
        for off, accepted in ((0, True), (5e-5, True), (7e-5, False), (np.nan, False)):
            got = {"d_output": right + off}  # 1e-5 of the greatest input, which the reference remembers
            told = module.check(np, {"d_input": data}, {"d_output": right}, got, dict(case.sizes), {})
            assert told is accepted


def test_flops_become_a_formula(found: dict[str, Imported]) -> None:
    read = problem(found, "leaky-scale")
    assert read.operations.evaluate(read.cases[0].sizes) == 2 * 2 * 3
    assert not any("operations" in w for w in found["leaky-scale"].entry.warnings)


def test_flops_may_be_a_sum(found: dict[str, Imported]) -> None:
    read = problem(found, "row-shift")
    assert read.operations.evaluate({"rows": 10, "cols": 7}) == 2 * 10 * 7 + 3 * 10
    assert not any("operations" in w for w in found["row-shift"].entry.warnings)


def test_gigabytes_are_scaled_and_never_made(found: dict[str, Imported]) -> None:
    entry = found["leaky-scale"].entry
    assert any("16.0 GiB of arrays: scaled to" in w for w in entry.warnings)
    for case in problem(found, "leaky-scale").cases:
        if case.group is Group.TIMED:
            assert case.sizes["n"] * case.sizes["m"] * 8 <= 4 << 30


def test_missing_groups_are_filled_with_contents_alike(found: dict[str, Imported]) -> None:
    read = problem(found, "leaky-scale")
    with here(read) as oracle:
        for case in read.cases:
            if case.group in {Group.ODD, Group.LARGE}:
                drawn = oracle.draw(case, 1)
                assert drawn["in d_input"].shape == (case.sizes["n"], case.sizes["m"])
                assert np.abs(drawn["in d_input"]).max() <= 6
                data, alpha = drawn["in d_input"].astype(float), case.sizes["alpha_e2"] / 100
                assert np.allclose(drawn["d_output"], np.where(data > 0, data, alpha * data))


def test_varying_dimensions_are_flat(found: dict[str, Imported]) -> None:
    read = problem(found, "axis-argmax")
    assert [len(a.shape) for a in read.arguments if a.name in {"input", "output"}] == [1, 1]
    case = next(c for c in read.cases if c.sizes["ndim"] == 4)
    with here(read) as oracle:
        drawn = oracle.draw(case, 1)
    data = drawn["in input"].reshape(5, 7, 3, 4)
    assert list(drawn["in shape"]) == [5, 7, 3, 4]
    assert np.array_equal(drawn["output"], data.argmax(axis=3).reshape(-1))


def test_the_sample_is_shown(found: dict[str, Imported]) -> None:
    read = problem(found, "leaky-scale")
    assert read.cases[0].inputs["d_input"] == (1, -2, 3, -4, 5, -6)
    assert "| output `d_output` | 1, -1, 3, -2, 5, -3 |" in read.statement


def test_parameters_may_be_in_the_head_of_the_statement(found: dict[str, Imported]) -> None:
    read = problem(found, "head-offset")
    assert [(a.name, a.role, a.dtype) for a in read.arguments] == [
        ("values", Role.IN, Dtype.FLOAT32),
        ("amount", Role.SCALAR, Dtype.FLOAT32),
        ("result", Role.OUT, Dtype.FLOAT32),
        ("count", Role.SCALAR, Dtype.INT64),
    ]
    said = found["head-offset"].entry.warnings
    assert any("it has no example" in w for w in said)
    assert any("operations counts the elements" in w for w in said)  # it counts none itself
    assert "def solution" not in read.reference  # the file torch.py next to it is not a module of it


def test_a_signature_of_types_alone_is_enough(found: dict[str, Imported]) -> None:
    read = problem(found, "bare-blend")
    assert [(a.name, a.role, a.dtype) for a in read.arguments] == [
        ("left", Role.IN, Dtype.FLOAT32),
        ("right", Role.IN, Dtype.FLOAT32),
        ("share", Role.SCALAR, Dtype.FLOAT32),
        ("output", Role.OUT, Dtype.FLOAT32),
        ("extra_1", Role.SCALAR, Dtype.INT64),
        ("extra_2", Role.SCALAR, Dtype.INT32),
    ]
    case = next(c for c in read.cases if c.group is Group.ODD)
    with here(read) as oracle:
        drawn = oracle.draw(case, 1)
    left, right = (drawn[f"in {name}"].astype(float) for name in ("left", "right"))
    assert np.allclose(drawn["output"], 0.25 * left + 0.75 * right)


def test_a_definition_may_ask_its_base_for_dtypes(found: dict[str, Imported]) -> None:
    read = problem(found, "typed-offset")
    assert [a.dtype for a in read.arguments] == [Dtype.FLOAT32, Dtype.INT32, Dtype.INT64]
    with here(read) as oracle:
        assert list(oracle.draw(read.cases[0], 1)["result"]) == [2, -4]


def test_whole_numbers_of_64_bits_are_exact(found: dict[str, Imported]) -> None:
    modulus = 2**62 - 57
    read = problem(found, "modular-pairs")
    assert next(a for a in read.arguments if a.name == "modulus").value.evaluate({}) == modulus
    assert read.cases[0].inputs["first"] == (0, 1, modulus - 1)
    with here(read) as oracle:
        assert oracle.draw(read.cases[0], 1)["pairs"].tolist() == [[0, 0], [1, modulus - 1], [modulus - 1, 1]]


def test_a_sample_may_be_made_before_it_is_asked_for(found: dict[str, Imported]) -> None:
    assert not any("left out" in w or "no example" in w for w in found["modular-pairs"].entry.warnings)


def test_a_slow_reference_runs_once_on_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examine, "_FURTHER_RUNS", 10**12)
    (slow,) = imported("tensara", SETS / "tensara" / "problems" / "row-shift").values()
    assert slow.entry.outcome is not ImportOutcome.REFUSED
    assert any("too large to run the reference" in warning for warning in slow.entry.warnings)


@pytest.mark.parametrize("slug", ["axis-argmax", "shaped-mean"])
def test_dimensions_that_only_tests_say_get_no_other_sizes(found: dict[str, Imported], slug: str) -> None:
    assert not any("was added" in w for w in found[slug].entry.warnings)
    read = problem(found, slug)
    assert {case.group for case in read.cases} >= {Group.ODD, Group.LARGE, Group.TIMED}
    other = replace(read.cases[0], sizes=dict.fromkeys(read.cases[0].sizes, 9), inputs={})
    with (
        here(read) as oracle,
        pytest.raises(OracleFailed, match="only the imported tests define its arrays"),
    ):
        oracle.draw(other, 1)


def test_a_large_test_is_kept_whose_inputs_need_memory(found: dict[str, Imported]) -> None:
    assert not any("left out" in w for w in found["hop-distances"].entry.warnings)
    timed = [c.sizes["n"] for c in problem(found, "hop-distances").cases if c.group is Group.TIMED]
    assert timed == [2600]


def test_floats_that_are_whole_stay_whole(found: dict[str, Imported]) -> None:
    read = problem(found, "hop-distances")
    case = next(c for c in read.cases if c.group is Group.ODD)
    with here(read) as oracle:
        lengths = oracle.draw(case, 1)["in lengths"]
    assert np.array_equal(lengths, np.rint(lengths))
    assert (lengths.min(), lengths.max()) == (0, 19)


def test_a_window_stays_smaller_than_what_it_moves_over(found: dict[str, Imported]) -> None:
    cases = problem(found, "window-sums").cases
    assert all(case.sizes["k"] < case.sizes["n"] for case in cases)
    assert {c.sizes["k"] for c in cases if c.group in {Group.LARGE, Group.TIMED}} == {32}
    assert {Group.ODD, Group.LARGE, Group.TIMED} <= {case.group for case in cases}


def test_numbers_far_below_one_are_exact(found: dict[str, Imported]) -> None:
    read = problem(found, "window-sums")
    floor = next(a for a in read.arguments if a.name == "floor").value
    assert {floor.number(case.sizes) for case in read.cases} == {0.01, 1e-8}


def test_a_reference_that_needs_too_much_memory_leaves_the_shapes() -> None:
    def compute(values: dict[str, Any]) -> dict[str, Any]:
        if values["x"].dtype is torch.float64 or values["x"].numel() > 4:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")
        return {"y": values["x"] * 2}

    module = SimpleNamespace(compute=compute, forget=lambda: None, WIDE=False)
    few, many = torch.ones(4), torch.ones(5)
    budget = examine._Budget(float("inf"))
    ended: dict[str, Any] = {"tolerance": (0.0, 0.0), "show": False, "budget": budget}
    probe = examine._probe(module, {"x": few}, ["y"], set(), **ended)
    assert probe is not None
    assert probe["wide"] is None
    assert examine._probe(module, {"x": many}, ["y"], set(), **ended) is None
    shapes = examine._shapes(module, {"x": many}, ["y"])
    assert list(shapes["arguments"]) == ["x"]
    assert "allocate" in shapes["unmade"]


def test_a_test_that_would_take_longer_than_the_time_that_is_left_has_shapes_alone(monkeypatch) -> None:
    now_s = 0.0
    ran: list[int] = []

    def compute(values: dict[str, Any]) -> dict[str, Any]:
        nonlocal now_s
        if not values["x"].is_meta:
            now_s += values["x"].numel()  # a second for each element
            ran.append(values["x"].numel())
        return {"y": values["x"] * 2}

    module = SimpleNamespace(
        arguments_of=lambda _part, number: {"x": torch.ones(number)},
        compute=compute,
        forget=lambda: None,
        operations=lambda *_: None,
        seeded=lambda _seed: contextlib.nullcontext(),
        WIDE=False,
    )
    monkeypatch.setattr(examine, "_LEAST_BYTES", 1)
    monkeypatch.setattr(examine, "time", SimpleNamespace(process_time=lambda: now_s))
    arguments = [{"name": "x", "role": "in"}, {"name": "y", "role": "out"}]
    description = {"arguments": arguments, "absolute": 0.0, "relative": 0.0}
    budget = examine._Budget(100.0)
    few, some, many = (
        examine._test(module, description, "functional", number, "", budget=budget) for number in (4, 20, 200)
    )
    assert "expected" in few
    assert set(ran) == {4, 20}, "the largest did not run"
    assert "expected" not in some
    assert {len(found["arguments"]) for found in (few, some, many)} == {2}


def test_tests_that_are_all_too_large_are_made_smaller(tmp_path: Path) -> None:
    place = tmp_path / "row-shift"
    shutil.copytree(SETS / "tensara" / "problems" / "row-shift", place)
    text = (place / "def.py").read_text()
    large = "((16384, 8192), (32768, 8192), (16400, 8200))"
    (place / "def.py").write_text(text.replace("((7, 5), (300, 200), (64, 1024), (4096, 4000))", large))
    (found,) = imported("tensara", place).values()
    read = loaded("row-shift", found.files)
    hidden = [case for case in read.cases if case.group in {Group.ODD, Group.LARGE}]
    assert {case.group for case in hidden} == {Group.ODD, Group.LARGE}
    assert all(2 < case.sizes["rows"] < 16384 and 3 < case.sizes["cols"] < 8192 for case in hidden)
    with here(read) as oracle:
        assert oracle.draw(hidden[0], 1)["output"].shape == tuple(
            hidden[0].sizes[name] for name in ("rows", "cols")
        )
