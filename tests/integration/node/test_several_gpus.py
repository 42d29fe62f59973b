"""Tests programs for several simulated GPUs: exclusive access, and errors on hosts with fewer GPUs."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from judge.errors import GpusMissing
from judge.evaluate import evaluate
from judge.gpu.target import GpuTarget
from judge.report import Report
from problems.loader import load_problem
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from sandbox.gpu.lease import Share
from tests.integration.node.conftest import PROBLEMS, open_node

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-several")]
FOLDER = PROBLEMS / "peer-swap" / "solutions"


@pytest.fixture(scope="module")
def peer_swap() -> Problem:
    """The shipped problem without its requirements, for which a GPU node asks functional mode."""
    return replace(load_problem(PROBLEMS / "peer-swap"), requirements=())


@pytest.fixture
def pair(tmp_path, node: GpuTarget) -> Iterator[GpuTarget]:
    """A node with three simulated cards."""
    target = open_node(tmp_path, cards=3)
    yield target
    for runtime in target.gpu_runtimes.values():
        runtime.secret_pool.end()
    target.close()


def judge(node: GpuTarget, problem: Problem, name: str) -> Report:
    source = (FOLDER / name).read_text()
    return evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=node)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("peer-copies.cu", Verdict.ACCEPTED),
        ("exchange-kernel.cu", Verdict.ACCEPTED),
        ("one-side.cu", Verdict.WRONG_ANSWER),
        ("no-peer-access.cu", Verdict.ILLEGAL_ACCESS),
        ("wrong-device.cu", Verdict.RUNTIME_ERROR),
    ],
)
def test_programs_for_two_gpus_are_checked_and_not_ranked(
    pair: GpuTarget, peer_swap: Problem, name: str, verdict: Verdict
) -> None:
    report = judge(pair, peer_swap, name)
    assert report.verdict is verdict, report
    assert not report.ranked
    assert all(case.group is not Group.TIMED for case in report.cases)


def test_a_run_holds_its_cards_alone_and_gives_them_back(pair: GpuTarget, peer_swap: Problem) -> None:
    leases = next(iter(pair.gpu_runtimes.values())).leases
    seen: list[list[str]] = []
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.001):
            held = {uuid: leases.holders(uuid) for uuid in pair.gpu_runtimes}
            of_swap = [
                uuid for uuid, holders in held.items() if any(one.label == "peer-swap" for one in holders)
            ]
            if of_swap:
                assert all(held[uuid][0].share is Share.RANK and len(held[uuid]) == 1 for uuid in of_swap)
                seen.append(of_swap)

    watching = threading.Thread(target=look)
    watching.start()
    try:
        assert judge(pair, peer_swap, "peer-copies.cu").verdict is Verdict.ACCEPTED
    finally:
        done.set()
        watching.join()
    assert max(map(len, seen)) == 2
    runtime = next(iter(pair.gpu_runtimes.values()))
    runtime.leases.acquire_all(list(pair.gpu_runtimes)).release()


def test_several_of_them_and_others_all_end(pair: GpuTarget, peer_swap: Problem, vector_add: Problem) -> None:
    """Three cards, of which each of these needs two, and programs for one card between them."""
    plain = (PROBLEMS / "vector-add" / "solutions" / "plain.cu").read_text()
    checked = replace(vector_add, cases=tuple(c for c in vector_add.cases if c.group is not Group.TIMED))
    verdicts: list[Verdict] = []

    def swap() -> None:
        verdicts.append(judge(pair, peer_swap, "one-stream.cu").verdict)

    def add() -> None:
        report = evaluate(checked, plain, language=Language.CUDA, mode=Mode.SUBMIT, target=pair)
        verdicts.append(report.verdict)

    threads = [threading.Thread(target=work) for work in (swap, add, swap, add, swap)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert verdicts == [Verdict.ACCEPTED] * 5


def test_a_host_with_fewer_cards_says_what_it_lacks(node: GpuTarget, peer_swap: Problem) -> None:
    with pytest.raises(GpusMissing, match="2 GPUs of one model that can access each other's memory"):
        judge(node, peer_swap, "peer-copies.cu")


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("scaled-sums", Verdict.ACCEPTED), ("own-count", Verdict.WRONG_ANSWER)],
)
def test_programs_with_ranks_get_a_gpu_for_each_rank(pair: GpuTarget, name: str, verdict: Verdict) -> None:
    problem = load_problem(PROBLEMS / "uneven-batches")
    source = (PROBLEMS / "uneven-batches" / "solutions" / f"{name}.torch.py").read_text()
    report = evaluate(problem, source, language=Language.PYTHON, mode=Mode.SUBMIT, target=pair)
    assert report.verdict is verdict, report
    assert not report.ranked


def test_more_ranks_than_gpus_are_missing(pair: GpuTarget) -> None:
    problem = load_problem(PROBLEMS / "halo-exchange")
    source = (PROBLEMS / "halo-exchange" / "solutions" / "batch.torch.py").read_text()
    with pytest.raises(GpusMissing, match="4 GPUs"):
        evaluate(problem, source, language=Language.PYTHON, mode=Mode.SUBMIT, target=pair)
