"""Runs a short `benchmarks.chaos`: a few faults of every kind, and no lost submission."""

import re
import subprocess
import sys

import pytest

from benchmarks.chaos import RECOVERY_S, Result, Struck
from tests.cluster.hosts import need_hosts
from web.config import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]
SMALL = "--seconds 12 --submissions 40 --rate 4 --every 0.7 --hosts 2 --no-engine"


def test_nothing_is_lost_or_duplicated():
    need_hosts()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.chaos", *SMALL.split()],
        cwd=ROOT, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    figures = dict(re.findall(r"^(\S.*?)  +(\d+)$", done.stdout, re.MULTILINE))
    assert int(figures["submissions that the site confirmed"]) >= 40
    assert int(figures["previews, proofs, imports and rejudges"]) >= 4
    assert int(figures["faults"]) >= 3
    assert [figures[name] for name in ("lost", "duplicated", "wrong", "invariants violated")] == ["0"] * 4


def test_any_broken_promise_is_told():
    kept = Result(3, [], [], [], 0, [], 0)
    assert kept.is_sound([Struck("worker killed", 0, set(), RECOVERY_S)])
    assert not kept.is_sound([Struck("worker killed", 0, set(), RECOVERY_S + 1)])
    assert not kept.is_sound([Struck("worker killed", 0, {1})]), "never recovered from"
    assert not Result(3, ["a"], [], [], 0, [], 0).is_sound([])
    assert not Result(3, [], ["a"], [], 0, [], 0).is_sound([])
    assert not Result(3, [], [], ["a: accepted instead of wrong_answer"], 0, [], 0).is_sound([])
    assert not Result(3, [], [], [], 0, ["leased still: 1"], 0).is_sound([])
