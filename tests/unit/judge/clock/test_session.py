"""Tests the trusted clock against simulated honest and dishonest programs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.clock.calls import BUSY, EARLY, UNORDERED
from judge.clock.contracts import Interfered, Policy, policy_for
from judge.clock.page import OrderUnanswered
from judge.clock.roofline import Roofline
from judge.clock.session import BELOW_FLOOR, FEW, TOO_SHORT
from judge.report import Timing
from judge.runner.inspector import InspectionResult
from problems.vocabulary import Verdict
from tests.unit.judge.clock.cheats import (
    DelayedOnAStreamOfItsOwn,
    EarlyDone,
    Endless,
    LeftUndone,
    Lingering,
    OnAStreamOfItsOwn,
    ReplayingByContent,
    ReplayingByPointer,
    SleepingWhenLucky,
    SlowHost,
    SlowInTheWarmUp,
    VerifyingAfterwards,
    WritingLate,
)
from tests.unit.judge.clock.simulation import (
    COPY_US,
    DONE_US,
    LANDING_US,
    Program,
    ProofEnvironment,
    unanswered,
)


@pytest.mark.parametrize("call_us", [4.0, 32.0, 119.0, 2500.0, 30_000.0, 900_000.0])
def test_an_honest_program_gets_its_time(call_us: float) -> None:
    timing = ProofEnvironment(Program(call_us)).timing()
    assert timing.median_us == pytest.approx(call_us, rel=0.004)
    assert timing.low_us <= timing.median_us <= timing.high_us
    assert timing.high_us - timing.low_us < 0.01 * call_us
    assert timing.queued
    assert timing.sm_mhz == 1980
    assert timing.discarded == 0


@pytest.mark.parametrize("launch_us", [0.0, 60.0, 5000.0])
def test_host_code_costs_nothing_when_calls_are_queued_ahead(launch_us: float) -> None:
    timing = ProofEnvironment(Program(6.0, launch_us=launch_us)).timing()
    assert timing.median_us == pytest.approx(6.0, rel=0.004)


@pytest.mark.parametrize("seed", range(10))
def test_calls_that_take_one_of_two_times_repeat(seed: int) -> None:
    timing = ProofEnvironment(Program(28.4, slow_us=1.3), seed=seed).timing()
    assert timing.median_us == pytest.approx(28.4, rel=0.008)


@pytest.mark.parametrize(
    ("call_us", "slot_us", "seen_us"),
    [
        pytest.param(3.7, 0.0, 3.7, id="over before a later watch starts"),
        pytest.param(8.3, 2.2, 8.3, id="fills the GPU"),
        pytest.param(3.7, 1.0, 4.7, id="both"),
        pytest.param(8.3, 0.1, 8.4, id="not clearly faster"),
        pytest.param(28.4, 2.2, 28.4, id="long"),
    ],
)
def test_short_calls_are_watched_in_the_way_that_is_clearly_faster(
    call_us: float, slot_us: float, seen_us: float
) -> None:
    timing = ProofEnvironment(Program(call_us), slot_us=slot_us).timing()
    assert timing.median_us == pytest.approx(seen_us, rel=0.004)


def test_each_content_counts_once() -> None:
    environment = ProofEnvironment(Program(32.0))
    environment.timing()
    counted = [content for content in environment.memory.seen if content]
    assert len(counted) == len(set(counted))
    assert len(counted) >= environment.policy.enough_calls


def test_calls_longer_than_the_budget_are_few() -> None:
    environment = ProofEnvironment(Program(900_000.0))
    assert environment.timing().repetitions == environment.policy.enough_slow_calls


def test_few_contents_are_enough() -> None:
    assert ProofEnvironment(Program(32.0), contents=2).timing().repetitions == 1
    with pytest.raises(ValueError, match="two input sets"):
        ProofEnvironment(Program(32.0), contents=1).time()


@given(
    call_us=st.floats(3, 5000),
    early_share=st.floats(0.01, 1.0),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60)
def test_done_that_comes_early_is_rejected(call_us: float, early_share: float, seed: int) -> None:
    found = ProofEnvironment(EarlyDone(call_us, early_us=early_share * call_us), seed=seed).time()
    assert isinstance(found, InspectionResult)
    assert found.verdict in {Verdict.REJECTED, Verdict.WRONG_ANSWER}
    if found.verdict is Verdict.REJECTED:
        assert found.message in {EARLY, "An output changed after solve had returned."}


@given(call_us=st.floats(20, 5000), seed=st.integers(0, 1000))
@settings(max_examples=30)
def test_verifying_a_result_after_it_is_written_is_charged(call_us: float, seed: int) -> None:
    timing = ProofEnvironment(VerifyingAfterwards(call_us), seed=seed).timing()
    assert timing.median_us >= call_us + DONE_US - Policy().done_slack_small_us


@pytest.mark.parametrize(
    ("output_bytes", "seen_us"),
    [pytest.param(4096, 40.5, id="small"), pytest.param(4097, 39.0, id="large")],
)
def test_more_time_is_allowed_for_the_end_of_a_kernel_with_large_outputs(
    output_bytes: int, seen_us: float
) -> None:
    class EndingSlowly(Program):
        def work(self, world, number):
            return super().work(world, number) - DONE_US + 10.0

    environment = ProofEnvironment(EndingSlowly(32.0, noise=0.0))
    environment.memory.output_bytes = output_bytes
    assert environment.timing().median_us == pytest.approx(seen_us)


@pytest.mark.parametrize("seed", range(5))
def test_the_number_of_calls_does_not_depend_on_the_host_time_of_counted_calls(seed: int) -> None:
    usual = ProofEnvironment(Program(100.0, noise=0.02), seed=seed).timing().repetitions
    assert ProofEnvironment(SleepingWhenLucky(100.0), seed=seed).timing().repetitions == usual


def test_a_slow_warm_up_does_not_reduce_the_counted_calls_below_the_usual_number() -> None:
    environment = ProofEnvironment(SlowInTheWarmUp(100.0, warm_us=310_000.0, warm_calls=4))
    policy = environment.policy
    assert environment.timing().repetitions >= policy.enough_calls


def test_a_host_that_is_slow_after_the_warm_up_ends_by_a_timeout() -> None:
    environment = ProofEnvironment(SlowHost(100.0), contents=97)
    with pytest.raises(OrderUnanswered):
        environment.time()
    assert environment.world.now_us < 60e6


def test_a_program_that_waits_for_the_gpu_is_reported_as_not_queued() -> None:
    environment = ProofEnvironment(Program(32.0))
    environment.orders.await_queued = lambda **_: False  # type: ignore[method-assign]
    assert not environment.timing().queued


@pytest.mark.parametrize("launch_us", [0.0, 2000.0])
def test_the_warm_up_determines_how_many_calls_fit_into_the_budget(launch_us: float) -> None:
    program = Program(100.0, noise=0.02, launch_us=launch_us)
    environment = ProofEnvironment(program, contents=300)
    turn_us = LANDING_US + 100.0 + COPY_US + 100.0 + launch_us  # the last for the checks
    policy = environment.policy
    expected = max(policy.enough_calls, policy.budget_ms * 1000 / turn_us)
    found = environment.timing().repetitions
    assert found == pytest.approx(min(expected, 299), abs=policy.block_calls)


@pytest.mark.parametrize("cheat", [LeftUndone, ReplayingByPointer])
def test_work_that_is_left_undone_is_wrong(cheat: type[Program]) -> None:
    found = ProofEnvironment(cheat(32.0)).time()
    assert isinstance(found, InspectionResult)
    assert found.verdict is Verdict.WRONG_ANSWER


def test_remembering_contents_gains_nothing() -> None:
    assert ProofEnvironment(ReplayingByContent(32.0)).timing().median_us == pytest.approx(32.0, rel=0.004)


def test_a_kernel_that_stays_is_found_out() -> None:
    environment = ProofEnvironment(Lingering(32.0))
    found = environment.time()
    assert isinstance(found, InspectionResult)
    assert (found.verdict, found.message) == (Verdict.REJECTED, BUSY)
    assert environment.gate.tries == 2 * environment.policy.looks  # queued ahead, and called


def test_an_access_out_of_bounds_is_not_forgiven_while_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = ProofEnvironment(Program(32.0))
    findings = [InspectionResult(Verdict.ILLEGAL_ACCESS, "Out of bounds: memory past the end of y.")]
    monkeypatch.setattr(environment.memory, "verify", lambda _: findings.pop() if findings else None)
    found = environment.time()
    assert isinstance(found, InspectionResult)
    assert found.verdict is Verdict.ILLEGAL_ACCESS


def test_a_gpu_that_is_busy_for_a_moment_is_waited_for() -> None:
    environment = ProofEnvironment(Program(32.0))
    environment.world.busy_until_us = 3 * environment.policy.look_us
    assert environment.timing().median_us == pytest.approx(32.0, rel=0.004)


def test_a_program_on_a_stream_of_its_own_is_called_instead() -> None:
    environment = ProofEnvironment(OnAStreamOfItsOwn(32.0))
    timing = environment.timing()
    assert not timing.queued
    assert environment.orders.queued[0]
    assert not any(environment.orders.queued[1:])
    assert timing.median_us == pytest.approx(32.0 + environment.program.launch_us, rel=0.004)


@pytest.mark.parametrize("sets", [1, 2, 8])
@pytest.mark.parametrize("delayed", [1, 2, 3])
def test_a_call_that_is_right_by_delay_hides_no_stream_of_its_own(sets: int, delayed: int) -> None:
    environment = ProofEnvironment(DelayedOnAStreamOfItsOwn(32.0, delayed), sets=sets)
    timing = environment.timing()
    assert not timing.queued
    assert environment.orders.queued.count(True) == delayed + 1
    assert timing.median_us == pytest.approx(32.0 + environment.program.launch_us, rel=0.004)


def test_a_stream_that_stops_waiting_later_is_explained() -> None:
    found = ProofEnvironment(DelayedOnAStreamOfItsOwn(32.0, delayed=6)).time()
    assert isinstance(found, InspectionResult)
    assert (found.verdict, found.message) == (Verdict.WRONG_ANSWER, "wrong" + UNORDERED)


def test_a_program_that_was_called_gets_no_advice_on_streams() -> None:
    class WrongWhenCounted(OnAStreamOfItsOwn):
        def work(self, world, number):
            if world.inputs[number]:
                world.pending.append((world.now_us + 5, number, 99_999))
                return world.now_us + 8
            return super().work(world, number)

    found = ProofEnvironment(WrongWhenCounted(5.0)).time()
    assert isinstance(found, InspectionResult)
    assert (found.verdict, found.message) == (Verdict.WRONG_ANSWER, "wrong")


def test_a_wrong_program_is_wrong_in_either_way() -> None:
    class Wrong(Program):
        def work(self, world, number):
            world.pending.append((world.now_us + 5, number, 99_999))
            return world.now_us + 8

    found = ProofEnvironment(Wrong(5.0)).time()
    assert isinstance(found, InspectionResult)
    assert found.verdict is Verdict.WRONG_ANSWER


def test_an_output_that_changes_late_is_rejected() -> None:
    found = ProofEnvironment(WritingLate(32.0)).time()
    assert isinstance(found, InspectionResult)
    assert found.verdict is Verdict.REJECTED


def test_a_call_that_never_ends_is_not_answered() -> None:
    with pytest.raises(OrderUnanswered):
        ProofEnvironment(Endless(32.0)).time()


def test_a_runner_that_ends_is_not_answered() -> None:
    environment = ProofEnvironment(Program(32.0))
    environment.orders.await_done = unanswered()  # type: ignore[method-assign]
    with pytest.raises(OrderUnanswered):
        environment.time()


def test_disturbed_blocks_do_not_count() -> None:
    environment = ProofEnvironment(Program(32.0), reasons=["It was hot."] * 2)
    timing = environment.timing()
    assert timing.discarded == 2
    assert timing.median_us == pytest.approx(32.0, rel=0.004)


def test_too_many_disturbed_blocks_disturb_the_case() -> None:
    reasons = ["It was hot."] * (Policy().max_discards + 1)
    assert ProofEnvironment(Program(32.0), reasons=reasons).time() == Interfered("It was hot.")


def test_contents_that_run_out_disturb_the_case() -> None:
    assert ProofEnvironment(Program(32.0), contents=10, reasons=["It was hot."] * 2).time() == Interfered(FEW)


def test_without_mps_short_times_are_not_ranked() -> None:
    policy = policy_for(time_sliced=True)
    assert ProofEnvironment(Program(2300.0), policy=policy).time() == InspectionResult(
        Verdict.ACCEPTED, TOO_SHORT
    )
    assert isinstance(ProofEnvironment(Program(30_000.0), policy=policy).time(), Timing)


@pytest.mark.parametrize(
    ("call_us", "remarkable"),
    [(32.0, False), (27.0, True)],
)
def test_a_time_above_the_roofline_is_remarkable(call_us: float, *, remarkable: bool) -> None:
    roofline = Roofline(floor_us=30.0, impossible_us=25.0, second_look_us=28.5)
    timing = ProofEnvironment(Program(call_us), roofline=roofline).timing()
    assert timing.remarkable is remarkable
    assert timing.roofline_percent == pytest.approx(3000 / call_us, rel=0.01)


def test_a_time_that_cannot_be_is_refused() -> None:
    roofline = Roofline(floor_us=30.0, impossible_us=25.0, second_look_us=28.5)
    found = ProofEnvironment(Program(20.0), roofline=roofline).time()
    assert found == InspectionResult(Verdict.REJECTED, BELOW_FLOOR)
