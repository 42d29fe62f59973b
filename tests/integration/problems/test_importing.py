"""Tests imports in real sandboxes: limits of an author's Python, and packages that the judge accepts."""

import json
import re
import shutil
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from judge.evaluate import evaluate
from judge.proof.examination import LIMITS, SandboxedExaminer
from problems.importing.report import ImportOutcome, Refused
from problems.loader import load_problem
from problems.vocabulary import Language, Mode, Verdict
from sandbox.bubblewrap import Bubblewrap
from sandbox.spec import Limits
from testing.services import need

pytest.importorskip("torch")
SETS = Path(__file__).parents[2] / "sets"
RIGHT = """
__global__ void scale(const float* x, float* y, float alpha, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = alpha * x[i] + 1.0f;
}
void solve(const float* x, float* y, float alpha, long long n) {
    scale<<<(n + 255) / 256, 256>>>(x, y, alpha, n);
}
"""


# Twelve arguments, six sizes and three outputs: both sides of the wire have room for them.
WIDE = """
__global__ void update(const float* x, const float* weight, const int* position, float* first, float* second,
                       float* difference, int rows, int cols, float gain, float shift) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int col = 0; col < cols; ++col) {
        int at = row * cols + col;
        float chosen = weight[position[row] * cols + col];
        first[at] += gain * chosen * x[at];
        second[at] -= chosen + shift;
        sum += first[at] - second[at];
    }
    difference[row] = sum;
}
void solve(const float* x, const float* weight, const int* position, float* first, float* second,
           float* difference, int rows, int cols, int kinds, float gain, float shift, int depth) {
    update<<<(rows + 127) / 128, 128>>>(
        x, weight, position, first, second, difference, rows, cols, gain, shift);
}
"""


@pytest.fixture(scope="module")
def two_challenges(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("set")
    for name in ("core", "easy/901_scale_and_shift", "medium/910_Wide_call(Large)"):
        shutil.copytree(SETS / "leetgpu/challenges" / name, root / "challenges" / name)
    return root


def test_the_command_makes_packages_that_judge(two_challenges: Path, tmp_path: Path, cpu_target) -> None:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    out = StringIO()
    arguments = ("importproblems", "leetgpu", str(two_challenges), "--into", str(tmp_path))
    call_command(*arguments, "--json", stdout=out)
    told = {problem["slug"]: problem["outcome"] for problem in json.loads(out.getvalue())["problems"]}
    assert told == {"scale-and-shift": ImportOutcome.WARNED, "wide-call-large": ImportOutcome.WARNED}
    for slug, source, verdict in (
        ("scale-and-shift", RIGHT, Verdict.ACCEPTED),
        ("scale-and-shift", RIGHT.replace("+ 1.0f", "+ 1.001f"), Verdict.WRONG_ANSWER),
        ("wide-call-large", WIDE, Verdict.ACCEPTED),
        ("wide-call-large", WIDE.replace("-= chosen + shift", "-= chosen - shift"), Verdict.WRONG_ANSWER),
    ):
        problem = load_problem(tmp_path / slug)
        report = evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=cpu_target)
        assert report.verdict is verdict, report
    with pytest.raises(SystemExit):  # a folder has no history, so what is there stays
        call_command(*arguments, stdout=out)


HOSTILE = """
import os, socket, pathlib
said = []
for name, attempt in {
    "network": lambda: socket.create_connection(("127.0.0.1", 80), 1),
    "write": lambda: pathlib.Path("/usr/x").write_text("x"),
    "environment": lambda: os.environ["DJANGO_SETTINGS_MODULE"],
    "passwords": lambda: pathlib.Path("/etc/shadow").read_text(),
    "site": lambda: __import__("django"),
    "host": lambda: pathlib.Path("HOST").write_text("x"),
    "code": lambda: pathlib.Path("/opt/python/warpcourt/sandbox/wire.py").write_text("x"),
}.items():
    try:
        attempt()
        said.append(name)
    except Exception:
        pass
raise RuntimeError("could: " + ",".join(said) + ";")
"""


LINKED = """
import os, pathlib
pathlib.Path("/work/description.json").symlink_to("/etc/passwd")
os._exit(0)
"""


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (HOSTILE, "could: ;"),
        ("import os\nos._exit(3)\n", "ended unexpectedly .exited, status 3"),
        (
            LINKED,
            "ended",
        ),
        (
            "def describe():\n    return {'title': 1}\ndef tests():\n    return []\n",
            "unreadable description",
        ),
    ],
)
def test_hostile_python_refuses_itself(source: str, words: str, tmp_path: Path) -> None:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    with pytest.raises(Refused, match=words):
        SandboxedExaminer(Bubblewrap(), LIMITS).examine(source.replace("HOST", str(tmp_path / "touched")))
    assert not list(tmp_path.iterdir())


# It cleans up, so that there is room for what the sandbox has to say; without that it is refused as well.
FILLING = """
import os

written = 0
for folder in ("/work", "/tmp", "/dev/shm"):
    for number in range(16):
        try:
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                for _ in range(16):
                    written += file.write(bytes(1 << 20))
        except OSError:
            break
        finally:
            os.remove(f"{folder}/{number}")
raise RuntimeError(f"wrote {written >> 20} MiB;")
"""


def test_a_disk_is_not_filled() -> None:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    limits = replace(LIMITS, tmpfs_mib=8, file_mib=8)
    with pytest.raises(Refused, match="wrote") as refusal:
        SandboxedExaminer(Bubblewrap(), limits).examine(FILLING)
    found = re.search(r"wrote (\d+) MiB", str(refusal.value))
    assert found
    assert int(found[1]) <= 3 * limits.tmpfs_mib  # of memory that goes with the sandbox, and none of a disk


@pytest.mark.parametrize(
    ("source", "limits"),
    [
        ("while True:\n    pass\n", replace(LIMITS, cpu_s=6)),
        ("import time\ntime.sleep(10**6)\n", replace(LIMITS, wall_s=6)),
    ],
)
def test_what_never_ends_is_ended(source: str, limits: Limits) -> None:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    with pytest.raises(Refused, match="takes more than 6 s"):
        SandboxedExaminer(Bubblewrap(), limits).examine(source)
