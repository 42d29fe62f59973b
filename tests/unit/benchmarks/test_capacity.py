"""Tests the simulation of judging against queueing theory and the rules of a GPU host."""

from itertools import accumulate, pairwise
from random import Random

import pytest

from benchmarks.capacity import DAY_S, MEASURED, Day, Mix, concentration, fewest, saturated
from benchmarks.judge_hosts import SLOTS, Clock, Court, Engine, Job, Room, Work

MIX = Mix(runs=0.5, accepted=0.5, triton=0.3, new=0.75)


def court(hosts: int = 1, *, at_a_time: int = 1, container_s: float = 0.0) -> Court:
    return Court(hosts, at_a_time=at_a_time, container_s=container_s)


def test_waits_are_those_of_one_server_with_constant_service():
    """Pollaczek and Khinchine: the mean wait of M/D/1 is rho s / 2 (1 - rho)."""
    rng, service_s, busy = Random(1), 1.0, 0.7
    times = accumulate(rng.expovariate(busy / service_s) for _ in range(30_000))
    jobs = [Job(at_s, Work(build_s=0, start_s=service_s, check_s=0)) for at_s in times]
    court().judge(jobs)
    mean_s = sum(job.wait_s for job in jobs) / len(jobs)
    assert mean_s == pytest.approx(busy * service_s / (2 * (1 - busy)), rel=0.1)


def test_everything_is_judged_once_and_in_order_on_one_host():
    jobs = [Job(float(n), Work(0.5, 0.5, 0.1, rank_s=1.0 if n % 3 == 0 else 0.0)) for n in range(50)]
    outcome = court().judge(jobs)
    assert all(job.claimed_s >= job.handed_in_s and job.judged_s > job.claimed_s for job in outcome.jobs)
    assert all(first.judged_s <= then.claimed_s for first, then in pairwise(outcome.jobs))


def test_runs_go_before_submits():
    submit = Work(0, 1, 0, interactive=False)
    jobs = [Job(0.0, submit), Job(0.1, submit), Job(0.2, Work(0, 1, 0))]
    court().judge(jobs)
    assert [job.claimed_s for job in jobs] == [0.0, 2.0, 1.0]


def test_who_ranks_is_alone_and_keeps_its_runner_when_nobody_else_is_there():
    ranked = Work(build_s=0, start_s=1, check_s=0, rank_s=2)
    alone = Job(0.0, ranked)
    court().judge([alone])
    assert alone.judged_s == 3.0
    both = [Job(0.0, ranked), Job(0.0, ranked)]
    court(at_a_time=2).judge(both)
    # Both have checked at 1. The first leaves, queues, and starts again alone; so does the second after it.
    assert sorted(job.judged_s for job in both) == [4.0, 7.0]


def test_the_room_is_first_come_first_served():
    clock, entered = Clock(), []
    room = Room(clock)
    room.enter(lambda: entered.append("check"), alone=False)
    room.enter(lambda: entered.append("rank"), alone=True)
    room.enter(lambda: entered.append("late check"), alone=False)
    assert entered == ["check"]
    assert not room.try_promote(), "somebody waits"
    room.leave()
    assert entered == ["check", "rank"]
    room.leave()
    assert entered == ["check", "rank", "late check"]


def test_the_room_has_so_many_slots():
    room = Room(Clock())
    entered: list[int] = []
    for number in range(SLOTS + 1):
        room.enter(lambda number=number: entered.append(number), alone=False)
    assert entered == [*range(SLOTS)]


def test_containers_come_one_after_the_other():
    clock, got = Clock(), []
    engine = Engine(clock, container_s=1.0, ready=0)
    for _ in range(3):
        engine.take(lambda: got.append(clock.now_s))
    clock.run()
    assert got == [1.0, 2.0, 3.0]
    assert engine.ready == 2


def test_the_rate_over_a_day_adds_up_and_has_its_peak():
    day = Day(50_000, MIX, peak=3.0)
    steps = 24 * 60
    assert sum(day.rate_per_s(DAY_S * n / steps) for n in range(steps)) * DAY_S / steps == pytest.approx(
        50_000
    )
    assert day.rate_per_s(0) == pytest.approx(3 * 50_000 / DAY_S)
    assert concentration(1.0) == pytest.approx(0, abs=1e-6)


def test_more_gpus_for_shorter_waits_and_for_more_submissions(monkeypatch):
    monkeypatch.setattr("benchmarks.capacity.SAMPLES", 1000)
    small, large = Day(10_000, MIX, peak=3.0), Day(60_000, MIX, peak=3.0)
    patient, hasty = (fewest(large, wait_s, 1, at_a_time=2, seed=1) for wait_s in (60.0, 0.2))
    assert 1 < patient.gpus < hasty.gpus
    assert fewest(small, 0.2, 1, at_a_time=2, seed=1).gpus < hasty.gpus
    assert max(patient.used, hasty.used) <= 1


@pytest.mark.parametrize("at_a_time", [1, 8])
def test_containers_bound_what_needs_the_gpu_little(at_a_time):
    """As measured: eight at a time are no faster than one."""
    outcome = saturated([MEASURED["CUDA, compiled before"]] * 100, at_a_time=at_a_time)
    assert 60 * len(outcome.jobs) / outcome.span_s == pytest.approx(163, rel=0.03)
