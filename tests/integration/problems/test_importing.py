"""Imports in real sandboxes: what an author's Python cannot do there, and a package that the judge takes."""

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from judge.evaluate import evaluate
from judge.examination import LIMITS, SandboxedExaminer
from problems.importing.report import Outcome, Refused
from problems.loader import load_problem
from problems.vocabulary import Language, Mode, Verdict
from sandbox.bubblewrap import Bubblewrap
from tests.services import need

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


@pytest.fixture(scope="module")
def one_challenge(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("set")
    shutil.copytree(SETS / "leetgpu/challenges/core", root / "challenges/core")
    name = "challenges/easy/901_scale_and_shift"
    shutil.copytree(SETS / "leetgpu" / name, root / name)
    return root


def test_the_command_makes_a_package_that_judges(one_challenge: Path, tmp_path: Path, cpu_target) -> None:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    out = StringIO()
    call_command(
        "importproblems", "leetgpu", str(one_challenge), "--into", str(tmp_path), "--json", stdout=out
    )
    (told,) = json.loads(out.getvalue())["problems"]
    assert told["outcome"] == Outcome.WARNED
    problem = load_problem(tmp_path / told["slug"])
    for source, verdict in (
        (RIGHT, Verdict.ACCEPTED),
        (RIGHT.replace("+ 1.0f", "+ 1.001f"), Verdict.WRONG_ANSWER),
    ):
        report = evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=cpu_target)
        assert report.verdict is verdict, report
    with pytest.raises(SystemExit):  # a folder has no history, so what is there stays
        call_command("importproblems", "leetgpu", str(one_challenge), "--into", str(tmp_path), stdout=out)


HOSTILE = """
import os, socket, pathlib
said = []
for name, attempt in {
    "network": lambda: socket.create_connection(("127.0.0.1", 80), 1),
    "write": lambda: pathlib.Path("/usr/x").write_text("x"),
    "environment": lambda: os.environ["DJANGO_SETTINGS_MODULE"],
    "passwords": lambda: pathlib.Path("/etc/shadow").read_text(),
    "site": lambda: __import__("django"),
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
        ("import os\nos._exit(3)\n", "ended by itself .exited, status 3"),
        (
            LINKED,
            "ended",
        ),
        (
            "def describe():\n    return {'title': 1}\ndef tests():\n    return []\n",
            "no description that can be read",
        ),
    ],
)
def test_hostile_python_refuses_itself(source: str, words: str) -> None:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    with pytest.raises(Refused, match=words):
        SandboxedExaminer(Bubblewrap(), LIMITS).examine(source)
