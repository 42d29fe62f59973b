"""The decisions of the autoscaler: how many workers to submit, which to cancel, which to drain."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.slurm.scaling import Bounds, Phase, Plan, WorkerJob, decide

LIMITS = Bounds(floor=1, ceiling=4, jobs_per_worker=2, cooldown_s=60)


def worker(job_id: int, phase: Phase = Phase.RUNNING, **known: Any) -> WorkerJob:
    return WorkerJob(job_id, phase, **known)


@pytest.mark.parametrize(
    ("unfinished", "wanted"), [(0, 1), (1, 1), (2, 1), (3, 2), (8, 4), (9, 4), (1000, 4)]
)
def test_the_number_of_workers_follows_the_queue_between_floor_and_ceiling(unfinished, wanted):
    assert decide(unfinished, [], LIMITS) == Plan(submit=wanted)


def test_workers_that_wait_in_slurm_count():
    assert decide(8, [worker(1), worker(2, Phase.WAITING)], LIMITS) == Plan(submit=2)


def test_waiting_workers_are_cancelled_first_and_the_newest_of_them():
    workers = [worker(1, idle_s=99), worker(2, Phase.WAITING), worker(3, Phase.WAITING)]
    assert decide(3, workers, LIMITS) == Plan(cancel=(3,))


def test_an_idle_worker_is_drained_after_the_cool_down_and_the_oldest_first():
    assert decide(0, [worker(1, idle_s=59), worker(2, idle_s=59)], LIMITS) == Plan()
    assert decide(0, [worker(1, idle_s=61), worker(2, idle_s=99)], LIMITS) == Plan(drain=(1,))


def test_a_busy_worker_is_drained_only_above_the_ceiling():
    busy = [worker(number, busy=True, idle_s=99) for number in range(1, 6)]
    assert decide(0, busy[:4], LIMITS) == Plan()
    assert decide(0, busy, LIMITS) == Plan(drain=(1,))
    assert decide(0, [*busy, worker(9)], LIMITS) == Plan(drain=(9, 1))


def test_a_draining_worker_is_no_capacity_but_has_its_node():
    draining = [worker(number, draining=True) for number in (1, 2, 3)]
    assert decide(8, draining, LIMITS) == Plan(submit=1)
    assert decide(0, draining, LIMITS) == Plan(submit=1)


def test_a_held_job_never_starts_and_is_cancelled():
    assert decide(0, [worker(1, Phase.HELD)], LIMITS) == Plan(submit=1, cancel=(1,))


def test_an_ending_job_does_not_count():
    assert decide(0, [worker(1, Phase.ENDING)], LIMITS) == Plan(submit=1)


@pytest.mark.parametrize(
    "wrong", [{"floor": -1}, {"floor": 5}, {"jobs_per_worker": 0}, {"cooldown_s": -1.0}], ids=str
)
def test_contradictory_bounds_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        Bounds(**{"floor": 1, "ceiling": 4, "jobs_per_worker": 2, "cooldown_s": 60.0} | wrong)


@st.composite
def bounds(draw: st.DrawFn) -> Bounds:
    floor = draw(st.integers(0, 5))
    return Bounds(
        floor=floor,
        ceiling=draw(st.integers(floor, 8)),
        jobs_per_worker=draw(st.integers(1, 4)),
        cooldown_s=draw(st.sampled_from([0.0, 60.0])),
    )


WORKERS = st.lists(
    st.builds(
        WorkerJob,
        st.integers(1, 1000),
        st.sampled_from(Phase),
        busy=st.booleans(),
        draining=st.booleans(),
        idle_s=st.sampled_from([0.0, 30.0, 60.0, 600.0]),
    ),
    max_size=12,
    unique_by=lambda one: one.job_id,
)
DEPTH = st.integers(0, 40)


@given(DEPTH, WORKERS, bounds())
def test_no_plan_breaks_a_rule(unfinished, workers, limits):
    plan = decide(unfinished, workers, limits)
    phase = {one.job_id: one.phase for one in workers}
    assert all(phase[job] in (Phase.WAITING, Phase.HELD) for job in plan.cancel)
    drained = [one for one in workers if one.job_id in plan.drain]
    assert all(one.phase is Phase.RUNNING and not one.draining for one in drained)
    left = [
        one
        for one in workers
        if one.phase in (Phase.WAITING, Phase.RUNNING) and one.job_id not in plan.cancel + plan.drain
    ]
    serving = [one for one in left if not (one.phase is Phase.RUNNING and one.draining)]
    if plan.submit:
        assert len(left) + plan.submit <= limits.ceiling
        assert not plan.drain
        assert len(serving) + plan.submit <= limits.wanted(unfinished)
    if plan.drain:
        assert len(serving) >= min(limits.wanted(unfinished), limits.ceiling)
    if any(one.busy or one.idle_s < limits.cooldown_s for one in drained):
        assert len(serving) == limits.ceiling  # it was exceeded
    assert len(serving) <= limits.ceiling


@given(DEPTH, WORKERS, bounds())
def test_a_second_autoscaler_that_sees_the_same_chooses_the_same(unfinished, workers, limits):
    assert decide(unfinished, workers, limits) == decide(unfinished, workers[::-1], limits)


@given(DEPTH, st.integers(1, 3), bounds())
def test_what_several_submit_at_once_is_cancelled_by_the_next_decision(unfinished, autoscalers, limits):
    submitted = autoscalers * decide(unfinished, [], limits).submit
    waiting = [worker(number, Phase.WAITING) for number in range(submitted)]
    plan = decide(unfinished, waiting, limits)
    assert (plan.submit, submitted - len(plan.cancel)) == (0, limits.wanted(unfinished))


@given(DEPTH, WORKERS, bounds())
def test_a_queue_that_stays_is_settled_after_two_decisions(unfinished, workers, limits):
    """Slurm starts every worker, and ends the drained ones; all are idle for long."""
    for _ in range(2):
        plan = decide(unfinished, workers, limits)
        gone = {*plan.cancel, *plan.drain} | {one.job_id for one in workers if one.draining}
        active = (Phase.WAITING, Phase.RUNNING)
        left = [one for one in workers if one.phase in active and one.job_id not in gone]
        workers = [worker(number, idle_s=600) for number in range(len(left) + plan.submit)]
    assert len(workers) == limits.wanted(unfinished)
    assert decide(unfinished, workers, limits) == Plan()
