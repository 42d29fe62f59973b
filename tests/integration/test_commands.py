"""Tests `manage.py judge` and `manage.py prove` as users run them: exit status, text and JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judge.target import Target
from problems.vocabulary import Verdict

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "problems" / "vector-add" / "solutions"

pytestmark = pytest.mark.integration


def manage(*arguments: object, data: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WARPCOURT_")}
    environment |= {"WARPCOURT_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "web.settings"}
    command = [sys.executable, "manage.py", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=200
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, cpu_target: Target) -> Path:
    """A data directory that shares the engine of the other tests, so that it is not built again."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "cache").symlink_to(ROOT / ".cache" / "tests")
    return folder


def test_an_accepted_file_exits_with_0_and_reports_json(data: Path) -> None:
    done = manage("judge", "vector-add", SOLUTIONS / "plain.cu", "--json", data=data)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verdict"] == Verdict.ACCEPTED
    assert {"stages", "cases", "diagnostics"} <= set(report)
    assert all(stage["ms"] >= 0 for stage in report["stages"])


def test_any_other_verdict_exits_with_1_and_says_why(data: Path) -> None:
    done = manage("judge", "vector-add", SOLUTIONS / "no-guard.cu", data=data)
    assert done.returncode == 1, done.stderr
    assert "illegal_access: out-of-bounds" in done.stdout
    assert "line " in done.stdout


def test_a_run_on_sizes_of_ones_own(data: Path) -> None:
    arguments = ("vector-add", SOLUTIONS / "plain.cu", "--mode", "run", "--size", "n=33", "--json")
    done = manage("judge", *arguments, data=data)
    assert done.returncode == 0, done.stderr
    assert [case["sizes"] for case in json.loads(done.stdout)["cases"]] == [{"n": 33}]


def test_the_doctor_explains_a_run_on_small_cases(data: Path) -> None:
    plain = ROOT / "problems" / "matrix-transpose" / "solutions" / "plain.cu"
    done = manage("judge", "matrix-transpose", plain, "--doctor", data=data)
    assert done.returncode == 0, done.stderr
    assert f"1. {plain}:" in done.stdout
    assert "sectors of 32 bytes" in done.stdout
    assert "/learn/findings/uncoalesced" in done.stdout
    report = json.loads(manage("judge", "matrix-transpose", plain, "--doctor", "--json", data=data).stdout)
    assert len(report["cases"]) > 1
    (counts,) = report["diagnosis"]["counts"]
    assert counts["sectors"] > 2 * counts["necessary_sectors"] > 0
    refused = manage("judge", "matrix-transpose", plain, "--doctor", "--mode", "submit", data=data)
    assert refused.returncode == 2
    assert "--doctor and --profile need --mode run" in refused.stderr


def test_a_run_on_values_of_ones_own(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    path.write_text('{"a": [1, 2.5, "inf", "nan"], "b": "1 1 -inf 0"}')
    arguments = ("vector-add", SOLUTIONS / "plain.cu", "--mode", "run", "--values", path, "--json")
    done = manage("judge", *arguments, data=data)
    assert done.returncode == 0, done.stderr
    (case,) = json.loads(done.stdout)["cases"]
    assert case["sizes"] == {"n": 4}
    assert [(given["argument"], given["values"]) for given in case["inputs"]] == [
        ("a", ["1", "2.5", "inf", "nan"]),
        ("b", ["1", "1", "-inf", "0"]),
        ("n", ["4"]),
    ]
    (output,) = case["outputs"]
    assert output["values"] == output["expected"] == ["2", "3.5", "nan", "nan"]
    path.write_text('{"n": 3, "a": [1]}')
    refused = manage("judge", *arguments, data=data)
    assert refused.returncode == 2
    assert "n follows from the sizes" in refused.stderr


def test_values_that_are_not_given_are_drawn_and_promises_are_kept(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    program = SOLUTIONS.parents[1] / "histogram" / "solutions" / "plain.cu"
    arguments = ("histogram", program, "--mode", "run", "--values", path, "--size", "bins=4", "--json")
    path.write_text('{"input": [0, 3, 3]}')
    done = manage("judge", *arguments, data=data)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cases"][0]["outputs"][0]["values"] == ["1", "0", "0", "2"]
    path.write_text('{"input": [0, 4, 3]}')
    refused = manage("judge", *arguments, data=data)
    assert "input: value 2, 4, must be from 0 to 3." in refused.stderr


def test_no_database_is_made(data: Path) -> None:
    manage("judge", "vector-add", SOLUTIONS / "plain.cu", data=data)
    assert not list(data.glob("*.sqlite3"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("judge",), "required: SLUG, FILE"),
        (("judge", "nosuch", "x.cu"), "Problem 'nosuch' not found. Known problems: "),
        (("judge", "../judge", "x.cu"), "not found"),
        (("judge", "vector-add", "absent.cu"), "Cannot read absent.cu"),
        (("judge", "vector-add", "README.md"), "neither .cu nor .py"),
        (("judge", "vector-add", SOLUTIONS / "plain.cu", "--language", "rust"), "cuda"),
        (
            ("judge", "vector-add", SOLUTIONS / "plain.cu", "--size", "n=5"),
            "--size and --values need --mode run",
        ),
        (("judge", "vector-add", SOLUTIONS / "plain.cu", "--size", "five"), "NAME=NUMBER"),
        (("prove", "nosuch"), "nosuch"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_to_do(
    arguments: tuple[object, ...], words: str, tmp_path: Path
) -> None:
    done = manage(*arguments, data=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr + done.stdout
