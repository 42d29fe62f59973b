"""Tests the simulated autoscaler against the documentation of Kubernetes, and that it loses no job."""

from random import Random
from typing import Any

import numpy as np
import pytest

from benchmarks.autoscaling import STABLE_S, SYNC_S, Autoscaler, Scaled, ScaledCourt, Scaling, modelled_waits
from benchmarks.capacity import BURSTS, Mix, saturated, scale_bursts, typical_steps
from benchmarks.judge_hosts import Job, Work

MIX = Mix(runs=0.5, accepted=0.5, triton=0.3, new=0.75)


def replicas(jobs: list[float], *, now: int = 1, **values: Any) -> list[int]:
    """The number of pods after each look, one every SYNC_S, for so many jobs at each."""
    autoscaler, found = Autoscaler(Scaling(**{"most": 100} | values)), []
    for number, unfinished in enumerate(jobs):
        now = autoscaler.replicas(number * SYNC_S, unfinished, now)
        found.append(now)
    return found


def test_pods_are_the_jobs_by_the_jobs_of_each():
    assert replicas([9], jobs_per_replica=4) == [3]
    assert replicas([8], jobs_per_replica=4) == [2]


def test_a_tenth_more_or_less_changes_nothing():
    assert replicas([43], now=10, jobs_per_replica=4) == [10]
    assert replicas([45], now=10, jobs_per_replica=4) == [12]


def test_a_step_adds_four_pods_or_as_many_as_there_are():
    assert replicas([1000] * 4, jobs_per_replica=1) == [5, 10, 20, 40]


def test_bounds_hold():
    assert replicas([1000, 0], most=4) == [4, 4]
    assert replicas([0] * 100, least=2, now=9)[-1] == 2


def test_pods_go_when_the_number_was_lower_for_five_minutes():
    looks = round(STABLE_S / SYNC_S)
    found = replicas([12] + [0] * (looks + 1), jobs_per_replica=4)
    assert found == [3] * looks + [1, 1]


def scaled(jobs: list[Job], *, seconds: float = 900, costs: bool = True, **values: Any) -> Scaled:
    scaling = Scaling(**{"start_s": 20} | values)
    court = ScaledCourt(scaling, at_a_time=2, container_s=0.0, costs=costs)
    return court.judge(jobs, seconds=seconds, first_sync_s=SYNC_S)


def at_once(number: int, took_s: float) -> list[Job]:
    return [Job(1.0, Work(build_s=0, start_s=took_s, check_s=0)) for _ in range(number)]


def test_new_pods_judge_after_their_start():
    jobs = at_once(16, 30.0)
    result = scaled(jobs)
    assert result.steps[:2] == [(0.0, 1), (15.0, 4)]
    # Two at once on the first pod, six more when three pods have started, and so on
    assert [round(job.claimed_s) for job in jobs] == [1] * 2 + [31] * 2 + [35] * 6 + [61] * 2 + [65] * 4
    assert result.steps[-1][1] == 1
    assert (result.removed, result.removed_judging, result.interrupted) == (3, 0, 0)


def test_a_pod_that_does_not_run_yet_goes_first():
    result = scaled(at_once(16, 10.0), start_s=1000)
    steps = [pods for _, pods in result.steps]
    assert (steps[:2], steps[-1]) == ([1, 4], 1)
    assert result.removed == 0


def with_a_long_job_on_the_youngest_pod() -> list[Job]:
    """Jobs for four pods; later a short one for each of three pods, and a long one for the fourth."""
    later = [Job(200.0, Work(build_s=0, start_s=took_s, check_s=0)) for took_s in (1.0, 1.0, 1.0, 400.0)]
    return [*at_once(16, 20.0), *later]


def test_idle_pods_go_first():
    without = scaled(with_a_long_job_on_the_youngest_pod(), costs=False)
    assert (without.removed, without.removed_judging) == (3, 1)
    with_costs = scaled(with_a_long_job_on_the_youngest_pod())
    assert (with_costs.removed, with_costs.removed_judging) == (3, 0)


def test_a_removed_pod_finishes_its_job_within_its_grace():
    jobs = with_a_long_job_on_the_youngest_pod()
    assert scaled(jobs, costs=False, grace_s=400).interrupted == 0
    assert jobs[-1].judged_s == 600.0
    assert scaled(with_a_long_job_on_the_youngest_pod(), costs=False, grace_s=60).interrupted == 1


def test_the_model_knows_a_queue_without_scaling():
    """Ten arrive in one second, and one is judged in each second: the last waits nine seconds."""
    arrivals = np.zeros(60)
    arrivals[5] = 10
    waits = modelled_waits(
        arrivals, Scaling(least=1, most=1), rate_per_s=1.0, at_a_time=1, first_sync_s=SYNC_S
    )
    assert waits[5] == pytest.approx(9)
    assert waits[20] == 0


def test_a_class_is_scaled_to_four_gpus_and_back_as_the_model_says():
    rng = Random(1)
    outcome = saturated([MIX.draw(rng) for _ in range(4000)], at_a_time=2)
    bursts = scale_bursts(MIX, Scaling(), 2, len(outcome.jobs) / outcome.span_s, seed=1)
    assert len(bursts) == BURSTS
    assert typical_steps(bursts) == (1, 4, 1)
    assert sum(burst.scaled.interrupted for burst in bursts) == 0
    assert all(job.judged_s > job.claimed_s >= job.handed_in_s for b in bursts for job in b.scaled.jobs)
    simulated, modelled = (sum(b.p95_s for b in bursts), sum(b.model_p95_s for b in bursts))
    assert simulated == pytest.approx(modelled, rel=0.1)
