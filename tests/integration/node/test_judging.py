"""Tests judging on a simulated GPU, from a source to a ranked verdict."""

import math
import os
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from judge.errors import GpuUnavailable
from judge.evaluate import evaluate
from judge.gpu.pool.source import sets_of
from judge.gpu.runtime import GpuRuntime
from judge.gpu.target import GpuTarget
from judge.report import ProgressEvent, Report
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from sandbox.backend import Process
from sandbox.gpu.lease import Share
from tests.integration.node.conftest import open_node, secret_pools, solution

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-judging")]


def judge(
    node: GpuTarget, problem: Problem, name: str, mode: Mode = Mode.SUBMIT, **options: object
) -> Report:
    language = Language.CUDA if name.endswith(".cu") else Language.TRITON
    source = solution(name)
    return evaluate(problem, source, language=language, mode=mode, target=node, **options)  # type: ignore[arg-type]


def test_an_honest_program_is_accepted_timed_and_scored(node: GpuTarget, vector_add: Problem) -> None:
    steps: list[ProgressEvent] = []
    report = judge(node, vector_add, "plain.cu", on_progress=steps.append)
    assert report.verdict is Verdict.ACCEPTED, report
    timed = [case for case in report.cases if case.group is Group.TIMED]
    assert [case.name for case in timed] == ["timed", "timed-small"]
    assert all(case.timing is not None and case.timing.median_us > 0 for case in timed)
    assert report.ranked
    assert report.attempts == 1
    assert report.environment["gpu"] == "simulated"
    assert [step.kind for step in steps][-3:] == ["timing", "timing", "finished"]
    assert {"compile", "start", "load", "check", "draw", "rank"} <= {stage.name for stage in report.stages}


def test_a_run_is_not_ranked(node: GpuTarget, vector_add: Problem) -> None:
    report = judge(node, vector_add, "plain.cu", mode=Mode.RUN)
    assert report.verdict is Verdict.ACCEPTED
    assert not report.ranked
    assert [case.group for case in report.cases] == [Group.SAMPLE]


def test_values_of_ones_own_are_judged_and_left_to_nobody(node: GpuTarget, vector_add: Problem) -> None:
    before = settled(node)
    values = {"a": (1.0, math.inf, math.nan)}
    report = judge(node, vector_add, "plain.cu", mode=Mode.RUN, sizes={"n": 3}, values=values)
    assert report.verdict is Verdict.ACCEPTED, report
    (case,) = report.cases
    a, b, _ = case.inputs
    assert a.values == ("1", "inf", "nan")
    assert len(b.values) == 3
    (c,) = case.outputs
    assert c.values[1:] == c.expected[1:] == ("inf", "nan")
    assert settled(node) == before


def test_sizes_of_ones_own_are_drawn_for_nobody_else(node: GpuTarget, vector_add: Problem) -> None:
    before = settled(node)
    report = judge(node, vector_add, "plain.cu", mode=Mode.RUN, sizes={"n": 777})
    assert report.verdict is Verdict.ACCEPTED
    assert settled(node) == before


def test_a_wrong_answer_is_not_timed(node: GpuTarget, vector_add: Problem) -> None:
    report = judge(node, vector_add, "off-by-one.cu")
    assert report.verdict is Verdict.WRONG_ANSWER
    assert not [case for case in report.cases if case.group is Group.TIMED]
    assert report.attempts == 1


def test_what_is_drawn_ahead_is_used_and_replaced(node: GpuTarget, vector_add: Problem) -> None:
    judge(node, vector_add, "plain.cu")
    before = settled(node)
    assert judge(node, vector_add, "plain.cu").verdict is Verdict.ACCEPTED
    after = settled(node)
    assert after["missing"] == before["missing"]
    wanted = sum(sets_of(vector_add, case) for case in vector_add.cases)
    assert after["handed_out_fresh"] - before["handed_out_fresh"] == wanted
    assert after["handed_out_again"] == before["handed_out_again"]
    timed = [case for case in vector_add.cases if case.group is Group.TIMED]
    assert after["retired"] - before["retired"] == sum(sets_of(vector_add, case) for case in timed)
    assert after["sets"] >= before["sets"]


def test_a_secret_pool_that_dies_costs_nobody_a_verdict(
    node: GpuTarget, vector_add: Problem, runtime: Path
) -> None:
    assert judge(node, vector_add, "plain.cu").verdict is Verdict.ACCEPTED
    settled(node)
    (pid,) = secret_pools(runtime)
    os.kill(pid, signal.SIGKILL)
    assert judge(node, vector_add, "plain.cu").verdict is Verdict.ACCEPTED


def test_while_one_is_timed_nobody_else_holds_the_card(node: GpuTarget, vector_add: Problem) -> None:
    holders: list[tuple[Share, ...]] = []

    def look(progress: ProgressEvent) -> None:
        if progress.kind == "timing":
            (gpu_runtime,) = node.gpu_runtimes.values()
            holders.append(tuple(held.share for held in gpu_runtime.leases.holders(gpu_runtime.card.uuid)))

    assert judge(node, vector_add, "plain.cu", on_progress=look).ranked
    assert holders == [(Share.RANK,)] * 2


def test_a_runner_that_could_not_be_promoted_is_not_used_again(
    node: GpuTarget, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    (gpu_runtime,) = node.gpu_runtimes.values()
    started: list[Process] = []
    start = GpuRuntime.start_runner

    def remember(self: GpuRuntime, problem: Problem, language: Language) -> Process:
        started.append(start(self, problem, language))
        return started[-1]

    monkeypatch.setattr(GpuRuntime, "start_runner", remember)
    neighbour = gpu_runtime.leases.acquire(gpu_runtime.card.uuid, Share.CHECK)
    refused: list[Process] = []
    alive_while_timing: list[bool] = []

    def tell(progress: ProgressEvent) -> None:
        if progress.kind == "waiting" and not refused:  # on a busy host timing itself may be repeated
            refused.extend(started)
            threading.Timer(0.5, neighbour.release).start()
        if progress.kind == "timing":
            alive_while_timing.append(any(process.pids for process in refused))

    report = judge(node, vector_add, "plain.cu", on_progress=tell)
    assert report.ranked
    assert len(refused) == 1
    assert len(started) > len(refused)
    assert set(alive_while_timing) == {False}
    assert report.attempts == 1
    assert "wait" in {stage.name for stage in report.stages}


def test_cancelling_works_while_it_waits_for_the_card(node: GpuTarget, vector_add: Problem) -> None:
    (gpu_runtime,) = node.gpu_runtimes.values()
    cancelled = threading.Event()
    with gpu_runtime.leases.acquire(gpu_runtime.card.uuid, Share.RANK):
        threading.Timer(0.5, cancelled.set).start()
        report = judge(node, vector_add, "plain.cu", cancelled=cancelled)
    assert report.verdict is Verdict.CANCELLED


def test_a_node_whose_cards_are_out_of_use_judges_nothing(node: GpuTarget, vector_add: Problem) -> None:
    (gpu_runtime,) = node.gpu_runtimes.values()
    gpu_runtime.quarantine.quarantine(gpu_runtime.card.uuid, "it is hot", by="test")
    try:
        with pytest.raises(GpuUnavailable, match="it is hot"):
            judge(node, vector_add, "plain.cu")
    finally:
        gpu_runtime.quarantine.clear(gpu_runtime.card.uuid)


def settled(node: GpuTarget) -> Mapping[str, int]:
    """Return the status of the secret pool after all draws have ended."""
    (gpu_runtime,) = node.gpu_runtimes.values()
    deadline = time.monotonic() + 60
    before: Mapping[str, int] = {}
    while (now := gpu_runtime.secret_pool.counts()) != before:
        assert time.monotonic() < deadline
        before = now
        gpu_runtime.refresher.settle(30)
        time.sleep(0.5)
    return now


def test_two_submissions_that_come_at_once_get_two_cards(runtime: Path, vector_add: Problem) -> None:
    """Both ranked on one card in a third of the pairs, while the other card was idle."""
    two = open_node(runtime, cards=2)
    leases = next(iter(two.gpu_runtimes.values())).leases
    try:
        for _ in range(6):
            sessions = [
                two.session(vector_add, Language.CUDA, vector_add.cases[:1], lambda: False) for _ in "ab"
            ]
            assert {session.environment["gpu_uuid"] for session in sessions} == set(two.gpu_runtimes)
            for session in sessions:
                session.close()
            deadline = time.monotonic() + 10
            while any(
                leases.coming(uuid) for uuid in two.gpu_runtimes
            ):  # a process that just starts has it too
                assert time.monotonic() < deadline
                time.sleep(0.01)
    finally:
        two.close()
