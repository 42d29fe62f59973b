"""GPU MODE tasks of our own making, one for each thing that the format does."""

import numpy as np
import pytest

from problems.calling import PythonEntry
from problems.importing import gpu_mode
from problems.importing.building import loaded
from problems.importing.extracting import standalone
from problems.importing.report import Imported, Outcome, Refused
from problems.schema import Problem, Tolerance
from problems.vocabulary import Dtype, Group, Language, OracleKind, Role, Verdict
from tests.unit.problems.importing.workbench import SETS, here, imported

pytest.importorskip("torch")
SET = SETS / "gpu_mode"


@pytest.fixture(scope="module")
def found() -> dict[str, Imported]:
    return imported("gpu_mode", SET)


def problem(found: dict[str, Imported], place: str) -> Problem:
    assert not found[place].entry.reason, found[place].entry.reason
    return loaded(found[place].entry.slug, found[place].files)


def test_every_task_is_reported(found: dict[str, Imported]) -> None:
    refused = {place: i.entry.reason for place, i in found.items() if i.entry.outcome is Outcome.REFUSED}
    assert refused == {
        "across_gpus": "it needs several GPUs; programs are judged on one",
        "config_py": "the argument config is neither array nor number, but a Config",
        "packed_cu": "it is a task in 'cu'; only those in Python have a reference that can be run",
    }
    assert set(found) - set(refused) == {"counts_py", "gated_mix_py", "scaled_sum_py"}


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


def test_whole_numbers_are_compared_exactly(found: dict[str, Imported]) -> None:
    counts = problem(found, "counts_py")
    assert [(a.name, a.dtype) for a in counts.arguments] == [("data", Dtype.UINT8), ("output", Dtype.INT64)]
    assert counts.python is not None
    assert counts.python.given.text == "data"


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
    with pytest.raises(Refused, match=r"utils\.py is \.\./utils\.py, outside of what"):
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
    with pytest.raises(Refused, match=r"main.py defines no missing"):
        standalone(files, "main.py", "missing")
