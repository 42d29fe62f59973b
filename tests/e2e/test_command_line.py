"""Tests the `warpcourt` command against a running site, as a user at a terminal runs it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PASSWORD, Site, sign_up
from web.config import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(site: Site, tmp_path: Path) -> Run:
    """Runs the command in an empty folder with a home of its own."""
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"), "PYTHONPATH": str(ROOT)}

    def command(*words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "web.cli", *words],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "COLUMNS": "120", **home, **more},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return command


@pytest.fixture
def signed_in(run: Run, site: Site, page: Page, request: pytest.FixtureRequest) -> Run:
    """The same, signed in as a new user with a token like those of the account page."""
    name = f"cli-{abs(hash(request.node.name)) % 10**8}"
    sign_up(page, site, name)
    body = {"username": name, "password": PASSWORD}
    made = page.request.post(f"{site.url}/api/v1/tokens", data=body)
    done = run("login", site.url, "--token-stdin", stdin=f"{made.json()['token']}\n")
    assert done.returncode == 0, done.stderr
    assert f"as {name}" in done.stdout
    return run


def test_hints_open_one_by_one(signed_in: Run) -> None:
    assert "No hint is open. The problem has 3." in signed_in("hint", "vector-add", "--opened").stdout
    for number in (1, 2, 3):
        assert f"Hint {number} of 3" in signed_in("hint", "vector-add").stdout
    done = signed_in("hint", "vector-add")
    assert (done.returncode, "All hints are open." in done.stderr) == (1, True)
    assert len(json.loads(signed_in("hint", "vector-add", "--opened", "--json").stdout)["opened"]) == 3


def test_from_a_starter_to_a_verdict(signed_in: Run, tmp_path: Path, site: Site) -> None:
    assert "vector-add" in signed_in("problems").stdout
    pulled = signed_in("pull", "vector-add")
    assert pulled.returncode == 0, pulled.stderr
    file = tmp_path / "vector-add.cu"
    assert file.read_text().startswith("// warpcourt: problem=vector-add language=cuda\n")
    assert signed_in("pull", "vector-add").returncode == 2

    file.write_text(file.read_text() + "\n// verdict: accepted\n")
    done = signed_in("submit", "vector-add.cu", "--watch")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accepted" in done.stdout
    assert f"{site.url}/s/" in done.stderr

    file.write_text(file.read_text().replace("accepted", "wrong_answer"))
    done = signed_in("submit", "vector-add.cu", "--watch", "--json")
    assert done.returncode == 10
    report = json.loads(done.stdout)
    assert report["verdict"] == "wrong_answer"

    assert report["id"] in signed_in("status").stdout
    assert signed_in("status", report["id"], "--json").returncode == 10
    difference = signed_in("diff", "vector-add.cu")
    assert difference.returncode == 1
    assert "-// verdict: accepted" in difference.stdout
    assert "+// verdict: wrong_answer" in difference.stdout
    assert signed_in("diff", "vector-add.cu", "--against", report["id"]).returncode == 0
    assert signed_in("leaderboard", "vector-add").returncode == 0


def test_a_run_on_sizes_of_ones_own(signed_in: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("// warpcourt: problem=vector-add\n// verdict: accepted\n")
    done = signed_in("submit", "a.cu", "--run", "--size", "n=33", "--seed", "7", "--watch", "--json")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert (row["mode"], row["sizes"]) == ("run", {"n": 33})


def test_a_run_on_values_of_ones_own(signed_in: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("// warpcourt: problem=vector-add\n// verdict: accepted\n")
    (tmp_path / "values.json").write_text('{"a": [1, "inf"], "b": "2 3"}')
    done = signed_in("submit", "a.cu", "--run", "--values", "values.json", "--watch", "--json")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert (row["sizes"], row["values"]) == ({"n": 2}, {"a": [1.0, "inf"], "b": [2.0, 3.0]})
    for text, told in [
        ('{"a": [1, "x"]}', "a: value 2, x, is not a float32 number"),
        ('{"a": [1], "b": [1, 2]}', "b: 2 values are given, but its shape with n = 1 is 1"),
        ("[1]", "must hold an object"),
        ("{", "is not JSON"),
    ]:
        (tmp_path / "values.json").write_text(text)
        refused = signed_in("submit", "a.cu", "--run", "--values", "values.json")
        assert refused.returncode in {1, 2}
        assert told in " ".join(refused.stderr.split())


def test_the_doctor_runs_a_file_and_prints_its_diagnosis(signed_in: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("// warpcourt: problem=vector-add\n// verdict: wrong_answer\n")
    done = signed_in("doctor", "a.cu")
    assert done.returncode == 10, done.stderr
    assert done.stdout.startswith("wrong answer  vector-add, cuda, ")
    assert "No finding explains the wrong answer." in done.stdout
    row = json.loads(signed_in("doctor", "a.cu", "--size", "n=33", "--json").stdout)
    assert (row["mode"], row["sizes"], row["report"]["diagnosis"]["counts"]) == ("run", {"n": 33}, [])


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("submit", "absent.cu"), 2, "Cannot read"),
        (("submit", "bare.cu"), 2, "does not name its problem"),
        (("submit", "bare.txt", "--problem", "vector-add"), 2, "--language"),
        (("submit", "bare.cu", "--problem", "nosuch"), 5, "doesn't exist"),
        (("submit", "bare.cu", "--problem", "vector-add", "--run", "--size", "five"), 2, "NAME=NUMBER"),
        (("submit", "bare.cu", "--problem", "vector-add", "--size", "n=4"), 1, "only for runs"),
        (("status", "AAAAAAAAAAAA"), 5, "doesn't exist"),
        (("pull", "vector-add", "--language", "rust"), 2, "cuda and triton"),
        (("nonsense",), 2, "No such command"),
    ],
)
def test_wrong_use_says_what_to_do(
    signed_in: Run, tmp_path: Path, words: tuple[str, ...], status: int, told: str
) -> None:
    for name in ("bare.cu", "bare.txt"):
        (tmp_path / name).write_text("void solve() {}\n")
    done = signed_in(*words)
    assert done.returncode == status, done.stdout + done.stderr
    assert told in done.stdout + done.stderr


def test_without_a_site_or_a_token(run: Run, site: Site, tmp_path: Path) -> None:
    assert "warpcourt login" in run("problems").stderr
    assert run("problems").returncode == 2
    nobody = run("problems", WARPCOURT_URL="http://127.0.0.1:9")
    assert nobody.returncode == 3
    assert "Cannot reach" in nobody.stderr
    (tmp_path / "a.cu").write_text("// warpcourt: problem=vector-add\n")
    assert run("problems", WARPCOURT_URL=site.url).returncode == 0
    refused = run("submit", "a.cu", WARPCOURT_URL=site.url)
    assert refused.returncode == 4
    assert "warpcourt login" in refused.stderr
