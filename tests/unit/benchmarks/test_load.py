"""Tests how the figures of the load benchmark are computed."""

import os
import subprocess
import sys

from benchmarks.load import PAGES, Phase, Row, _stats, _tree_s
from web.config import ROOT


def phase(**used_s: float) -> Phase:
    rows = {name: Row(name, 10, 0, 5.0, 20.0, 30.0) for name in PAGES}
    rows["post a run"] = Row("post a run", 40, 1, 5.0, 9.0, 9.0)
    rows["post a submit"] = Row("post a submit", 10, 0, 5.0, 9.0, 9.0)
    rows["report"] = Row("report", 10, 0, 5.0, 70.0, 90.0)
    parts = {"web": 0.0, "worker": 0.0, "database": 0.0, "broker": 0.0, "client": 0.0, "others": 0.0}
    return Phase("1:10", 10.0, rows, parts | used_s, ())


def test_what_failed_was_not_accepted():
    assert phase().accepted == 49
    assert phase().failures == 1
    assert phase().page_p95_ms == 70.0


def test_the_bottleneck_is_named(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert phase(web=5, database=3).bottleneck == "none yet: the submitters"
    assert phase(web=12, client=6).bottleneck == "processors, most of them web"
    assert phase(web=8, client=6, others=5).bottleneck == "not known: other work on this machine"
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    assert phase(web=18, client=6).bottleneck == "web processes"


def test_processor_time_is_that_of_a_process_with_all_below_it():
    stats = {1: ("root", 0, 1.0), 2: ("child", 1, 2.0), 3: ("grandchild", 2, 4.0), 4: ("other", 0, 8.0)}
    assert _tree_s(1, stats) == 7.0
    _, parent, used_s = dict(_stats())[os.getpid()]
    assert (parent, used_s > 0) == (os.getppid(), True)


def test_locust_finds_who_is_played():
    """In a process of its own: locust patches whatever imports it."""
    argv = [sys.executable, "-m", "locust", "-f", "benchmarks/load_class.py", "--list"]
    said = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert {"Student", "Submitter"} <= set((said.stdout + said.stderr).split())
