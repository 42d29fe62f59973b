"""Runs short versions of the judging benchmarks on the processors of this machine."""

import random
import re
import subprocess
import sys
from collections import Counter

import pytest

from benchmarks.fault_storm import INNOCENT, guilty, storm
from benchmarks.judging import vector_addition
from judge.languages import languages_here
from problems.vocabulary import Group, Language
from web.config import ROOT

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(Language.TRITON not in languages_here(), reason="Triton was left out"),
]
HERE = ("--backend", "bubblewrap", "--cache", ".cache/tests")


def run(name: str, target: str, *options: str) -> str:
    command = [sys.executable, "-m", f"benchmarks.{name}", "--target", target, *HERE, *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_latency_is_split_by_stage():
    said = run("verdict_latency", "cpu", "--rounds", "1", "--pause", "0")
    assert "CUDA, compiled before" in said
    assert "Triton, new source" in said
    assert "check" in said.partition("median of each stage")[2]


@pytest.mark.parametrize("target", ["cpu", "simulated"])
def test_a_storm_of_faults_leaves_no_wrong_verdict(target: str):
    said = run("fault_storm", target, "--submissions", "10", "--slots", "2", "--rounds", "1")
    assert "wrong verdicts" in said
    assert "next verdict after" in said


def test_rates_are_compared_with_that_of_one_slot():
    said = run("throughput", "simulated", "--slots", "1,2", "--submissions", "4")
    assert re.search(r"processors, 1 +\d+ +1\.00", said)
    assert "processors, 2" in said


def test_a_storm_is_a_fifth_guilty_of_everything():
    programs = storm(200, random.Random(1))
    counts = Counter(program.name for program in programs)
    assert len(programs) == 200
    assert {counts[program.name] for program in guilty()} == {8}
    assert {counts[name] for name in INNOCENT} == {40}


def test_timed_cases_of_a_benchmark_have_a_version_of_their_own():
    plain, timed = vector_addition(), vector_addition(timed=(10, 20))
    assert plain.version != timed.version
    assert [case.sizes["n"] for case in timed.cases if case.group is Group.TIMED] == [10, 20]
