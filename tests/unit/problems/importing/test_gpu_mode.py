"""Tests the importer of GPU MODE with our own tasks, one for each feature of the format."""

import numpy as np
import pytest

from problems.calling import PythonEntry
from problems.importing import gpu_mode
from problems.importing.building import loaded
from problems.importing.extracting import standalone
from problems.importing.report import Imported, ImportOutcome, Refused
from problems.schema import Problem, Tolerance
from problems.vocabulary import Dtype, Group, Language, OracleKind, Role, Verdict
from sandbox.runner.session import run_module
from tests.unit.problems.importing.workbench import SETS, apart, here, imported

torch = pytest.importorskip("torch")
from sandbox.runner.torch_host import place_on_host  # noqa: E402 - it needs PyTorch

pytestmark = pytest.mark.xdist_group("importing-gpu-mode")  # imported once, not in every process
SET = SETS / "gpu_mode"


@pytest.fixture(scope="module")
def found() -> dict[str, Imported]:
    return imported("gpu_mode", SET)


def problem(found: dict[str, Imported], place: str) -> Problem:
    assert not found[place].entry.reason, found[place].entry.reason
    return loaded(found[place].entry.slug, found[place].files)


def test_every_task_is_reported(found: dict[str, Imported]) -> None:
    refused = {
        place: i.entry.reason for place, i in found.items() if i.entry.outcome is ImportOutcome.REFUSED
    }
    assert refused == {
        "across_gpus": "it needs several GPUs; programs are judged on one",
        "config_py": "the argument config must be an array or a number, but is a Config",
        "packed_cu": "it is a task in 'cu'; only tasks in Python have a reference that can be run",
    }
    assert set(found) - set(refused) == {
        "any_root_py",
        "byte_gain_py",
        "counts_py",
        "gated_mix_py",
        "keyed_weights_py",
        "packed_rows_py",
        "scaled_sum_py",
        "sorted_room_py",
        "two_bounds_py",
    }


def test_room_that_is_given_for_the_result_is_an_output(found: dict[str, Imported]) -> None:
    read = problem(found, "scaled_sum_py")
    assert [(a.name, a.role, a.dtype) for a in read.arguments] == [
        ("a", Role.IN, Dtype.FLOAT32),
        ("b", Role.IN, Dtype.FLOAT32),
        ("out", Role.OUT, Dtype.FLOAT32),
    ]
    assert (read.languages, read.oracle) == ((Language.PYTHON,), OracleKind.TORCH)
    call = read.python
    assert call is not None
    assert (call.entry, call.given.text, call.returns) == (
        PythonEntry.CUSTOM_KERNEL,
        "(a, b, out)",
        ("out",),
    )
    assert read.arguments[2].tolerance == Tolerance(1e-4, 2e-5)


def test_tests_and_benchmarks_are_cases(found: dict[str, Imported]) -> None:
    read = problem(found, "scaled_sum_py")
    groups = {case.group: [*case.sizes.values()] for case in read.cases}
    assert groups[Group.ODD] == [127]
    assert groups[Group.LARGE] == [70000]
    assert groups[Group.TIMED] == [33554432]


def test_data_of_dicts_and_constants_is_told_as_it_is(found: dict[str, Imported]) -> None:
    read = problem(found, "gated_mix_py")
    call = read.python
    assert call is not None
    assert call.given.text == (
        "(x, {'mix': mix, 'gate': gate}, {'width': width, 'heads': 4, 'scale': 0.125, 'kind': 'sigmoid', "
        "'mask': None})"
    )
    assert call.returns == ("output_1", "output_2")
    last = read.arguments[-1]
    assert (last.role, [f.text for f in last.shape]) == (Role.OUT, ["1"])  # a tensor without dimensions
    assert read.arguments[-2].tolerance == Tolerance(1e-3, 1e-4)
    assert {case.sizes["variant"] for case in read.cases} == {1, 2}  # two distributions of the same sizes


def test_a_test_whose_data_cannot_be_made_is_left_out(found: dict[str, Imported]) -> None:
    said = found["gated_mix_py"].entry.warnings
    assert any("omitted rows 65537" in w and "no memory for that many rows" in w for w in said)


def test_whole_numbers_are_compared_exactly(found: dict[str, Imported]) -> None:
    counts = problem(found, "counts_py")
    assert [(a.name, a.dtype) for a in counts.arguments] == [("data", Dtype.UINT8), ("output", Dtype.INT64)]
    assert counts.python is not None
    assert counts.python.given.text == "data"


def test_keys_of_dicts_may_be_any_text_and_come_again(found: dict[str, Imported]) -> None:
    read = problem(found, "keyed_weights_py")
    assert read.python is not None
    assert read.python.given.text == (
        "(x, mask, {'first.weight': first_weight, 'first.bias': first_bias}, {'weight': weight}, "
        "{'first.weight': first_weight_2, 'lambda': 2})"
    )
    case = next(c for c in read.cases if c.group is Group.ODD)
    with here(read) as oracle:
        drawn = {name: values.astype(float) for name, values in oracle.draw(case, 1).items()}
    hidden = np.maximum(drawn["in x"] @ drawn["in first_weight"].T + drawn["in first_bias"], 0)
    whole = 2 * hidden @ (drawn["in weight"] * drawn["in first_weight_2"]).T * drawn["in mask"][:, None]
    assert np.allclose(drawn["output"], whole, atol=1e-5)


def test_numbers_of_eight_bits_are_bytes_that_programs_see_as_numbers(found: dict[str, Imported]) -> None:
    read = problem(found, "byte_gain_py")
    assert read.python is not None
    assert read.python.views == {"x": "float8_e4m3fn", "output_2": "float8_e5m2"}
    assert [a.dtype for a in read.arguments] == [Dtype.UINT8, Dtype.FLOAT32, Dtype.FLOAT32, Dtype.UINT8]
    for case in read.cases:  # those that are invented draw numbers, not bits
        if case.group is not Group.TIMED:
            with here(read) as oracle:
                drawn = oracle.draw(case, 1)
            x = torch.tensor(drawn["in x"]).view(torch.float8_e4m3fn).double()
            halves = torch.tensor(drawn["output_2"].astype(np.uint8)).view(torch.float8_e5m2).double()
            assert x.isfinite().all(), case.name
            assert x.abs().max() < 8, case.name
            assert torch.allclose(torch.tensor(drawn["output_1"]), x * torch.tensor(drawn["in gain"]))
            assert torch.allclose(halves, x / 2, rtol=0.15, atol=1e-4)


def test_a_view_of_a_program_is_told(found: dict[str, Imported]) -> None:
    starter = problem(found, "byte_gain_py").starters[Language.PYTHON]
    assert "# x is a tensor of dtype torch.float8_e4m3fn." in starter


def test_packed_numbers_are_multiplied_on_the_host(found: dict[str, Imported]) -> None:
    read = problem(found, "packed_rows_py")
    assert read.python is not None
    assert read.python.views["a"] == "float4_e2m1fn_x2"
    case = read.cases[0]
    with here(read) as oracle:
        drawn = oracle.draw(case, 1)
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    table = np.concatenate((table, -table))

    def numbers(name: str) -> np.ndarray:
        packed = drawn[f"in {name}"]
        halves = np.stack((packed & 15, packed >> 4), axis=-1).reshape(len(packed), -1)
        factors = torch.tensor(drawn[f"in {name}_factors"]).view(torch.float8_e4m3fn).double().numpy()
        rows, blocks = len(packed), halves.shape[1] // 16
        plain = np.empty((rows, blocks))
        for row in range(rows):
            for block in range(blocks):
                tile = (row // 128) * (blocks // 4) + block // 4
                plain[row, block] = factors[tile * 512 + (row % 32) * 16 + (row % 128) // 32 * 4 + block % 4]
        return table[halves] * np.repeat(plain, 16, axis=1)

    assert np.allclose(drawn["output"], numbers("a") @ numbers("b").T, rtol=1e-2, atol=1e-2)


def test_tests_with_another_dtype_than_most_are_left_out(found: dict[str, Imported]) -> None:
    said = found["keyed_weights_py"].entry.warnings
    assert any("mask has dtype float32 there and int64 in most tests" in w for w in said)
    assert not any(
        "its Python fails" in w for w in said
    )  # which asks a tensor without contents for its device
    timed = [case for case in problem(found, "keyed_weights_py").cases if case.group is Group.TIMED]
    assert [sorted(case.sizes.values()) for case in timed] == [[128, 262144]]


def test_room_that_the_reference_does_not_use_is_room_all_the_same(found: dict[str, Imported]) -> None:
    read = problem(found, "sorted_room_py")
    assert [(a.name, a.role) for a in read.arguments] == [("data", Role.IN), ("output", Role.OUT)]
    assert any("became checker.py" in w for w in found["sorted_room_py"].entry.warnings)


@pytest.mark.parametrize(
    ("place", "accepted"),
    [
        ("any_root_py", {"as the reference": True, "the other order": True, "twice the same": False}),
        ("two_bounds_py", {"as the reference": True, "within 1e-1": True, "the scale too": False}),
    ],
)
def test_a_check_of_its_own_becomes_a_checker(found: dict[str, Imported], place: str, accepted) -> None:
    read = problem(found, place)
    assert "accepts or rejects all outputs together" in read.statement
    assert "may differ by" not in read.statement
    case = next(c for c in read.cases if c.group is not Group.TIMED)
    with here(read) as oracle:
        drawn = oracle.draw(case, 1)
    inputs = {name.removeprefix("in "): drawn[name] for name in drawn if name.startswith("in ")}
    one, two = (drawn[name].astype(np.float32) for name in ("output_1", "output_2"))
    other = {
        "as the reference": (one, two),
        "the other order": (two, one),
        "twice the same": (one, one),
        "within 1e-1": (one + np.float32(0.05), two),
        "the scale too": (one, two * np.float32(1.001)),
    }
    with apart(), place_on_host():
        module = run_module(compile(read.checker, "checker.py", "exec"), "checker")
        for what, answer in accepted.items():
            got = dict(zip(("output_1", "output_2"), other[what], strict=True))
            assert module.check(np, inputs, {}, got, dict(case.sizes), {}) is answer, what


def test_contents_are_new_each_time_and_expected_in_float64(found: dict[str, Imported]) -> None:
    read = problem(found, "scaled_sum_py")
    case = next(c for c in read.cases if c.group is Group.ODD)
    with here(read) as oracle:
        one, same, other = (oracle.draw(case, seed) for seed in (5, 5, 6))
    assert np.array_equal(one["in a"], same["in a"])
    assert not np.array_equal(one["in a"], other["in a"])
    assert np.array_equal(one["out"], 2.5 * one["in a"].astype(np.float64) + one["in b"])


def test_warnings_say_what_a_person_must_look_at(found: dict[str, Imported]) -> None:
    said = found["gated_mix_py"].entry.warnings
    for words in (
        "it ranks by 'last'",
        "gate is not contiguous",
        "the size variant",
        "only the set's own solution",
    ):
        assert any(words in warning for warning in said), words


def test_the_reference_is_a_solution_by_itself(found: dict[str, Imported]) -> None:
    read = problem(found, "scaled_sum_py")
    verdicts = {s.path.name: (s.language, s.verdict) for s in read.solutions}
    assert verdicts["reference.torch.py"] == (Language.PYTHON, Verdict.ACCEPTED)
    assert verdicts["does-nothing.torch.py"] == (Language.PYTHON, Verdict.RUNTIME_ERROR)
    text = found["scaled_sum_py"].files["solutions/reference.torch.py"].decode()
    assert "class DeterministicContext" in text
    assert "FACTOR = 2.5" in text
    assert "from utils" not in text
    assert "generate_input" not in text
    compile(text, "reference.torch.py", "exec")


def test_files_from_above_the_set_are_refused() -> None:
    with pytest.raises(Refused, match=r"utils\.py refers to \.\./utils\.py, outside"):
        gpu_mode.read(SET / "counts_py", within=SET / "counts_py")


def test_a_function_is_taken_out_with_what_it_needs() -> None:
    files = {
        "main.py": "import torch\nimport math\nfrom other import helper as used, spare\nTWO, SIX = 2, 6\n"
        "@torch.no_grad()\ndef wanted(x):\n    return used(x) * TWO\n\ndef unwanted():\n    return math.pi\n",
        "other.py": "import numpy as np\ndef inner(x):\n    return np.abs(x)\n"
        "def helper(x):\n    return inner(x)\n",
    }
    text = standalone(files, "main.py", "wanted")
    assert text.startswith("import numpy as np\nimport torch\n")
    assert "@torch.no_grad()\ndef wanted(x)" in text
    assert "TWO, SIX = 2, 6" in text
    assert "used = helper" in text
    assert "unwanted" not in text
    assert text.index("def inner") < text.index("def helper") < text.index("def wanted")
    with pytest.raises(Refused, match=r"main.py does not define missing"):
        standalone(files, "main.py", "missing")
