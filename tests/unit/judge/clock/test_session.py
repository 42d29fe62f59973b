"""The trusted clock against simulated programs, honest and not."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.clock import repetitions
from judge.clock.contracts import Disturbed, Ordering, Policy
from judge.clock.null import timed_us
from judge.clock.repetitions import BUSY, EARLY
from judge.clock.roofline import Roofline
from judge.clock.session import BELOW_FLOOR, IMPOSSIBLE
from judge.inspector import Finding
from judge.report import Timing
from problems.vocabulary import Verdict
from tests.unit.judge.clock.cheats import (
    ComputingAhead,
    EarlyDone,
    OncePerSet,
    Overlapping,
    ReplayingByContent,
    ReplayingByPointer,
    SkippingAfterTheFirst,
    WritingLate,
)
from tests.unit.judge.clock.simulation import NULL_US, Bench, Program

POLICY = Policy()


def least_us(call_us: float) -> float:
    """The best time that a dishonest program can get for work that takes `call_us`: the documented margin."""
    by_fresh = call_us * (1 - POLICY.fresh_share) - POLICY.fresh_us
    by_gated = call_us * (1 - POLICY.gate_share) - POLICY.gate_us
    return min(by_fresh, by_gated)


@pytest.mark.parametrize("call_us", [4.0, 32.0, 119.0, 2500.0, 30_000.0, 900_000.0])
def test_an_honest_program_gets_its_time(call_us: float) -> None:
    timing = Bench(Program(call_us)).timing()
    assert timing.median_us == pytest.approx(call_us, rel=0.004)
    assert timing.low_us <= timing.median_us <= timing.high_us
    assert timing.high_us - timing.low_us < 0.01 * call_us
    assert timing.null_us == NULL_US
    assert timing.sm_mhz == 1980
    assert timing.discarded == 0


@pytest.mark.parametrize(("call_us", "cold_us"), [(4.0, 1.0), (32.0, 1.5), (119.0, 2.5)])
def test_cold_single_calls_do_not_cost_an_honest_program(call_us: float, cold_us: float) -> None:
    timing = Bench(Program(call_us, cold_us=cold_us)).timing()
    assert timing.median_us == pytest.approx(call_us, rel=0.004)
    assert timing.gated_us > timing.median_us


@pytest.mark.parametrize("call_us", [4.0, 32.0, 180.0])
@pytest.mark.parametrize("seed", range(5))
def test_interruptions_of_single_calls_do_not_cost_an_honest_program(call_us: float, seed: int) -> None:
    timing = Bench(Program(call_us, late_us=60.0), contents=6, seed=seed).timing()
    assert timing.median_us == pytest.approx(call_us, rel=0.004)


def test_fresh_calls_that_were_all_interrupted_are_made_again_with_other_contents() -> None:
    program = Program(4.0)
    bench = Bench(program, contents=6)
    complete = bench.memory.complete
    seen: set[int] = set()

    def slow_at_first(number: int, content: int) -> None:
        complete(number, content)
        program.cold_us = 50.0 if content and content not in seen and len(seen) < 3 else 0.0
        seen.update({content} - {0})

    bench.memory.complete = slow_at_first  # type: ignore[method-assign]
    assert bench.timing().median_us == pytest.approx(4.0, rel=0.004)
    assert len(seen) == 4  # one of those held back was enough


@pytest.mark.parametrize("call_us", [4.0, 32.0, 180.0])
def test_a_host_that_is_slow_for_a_while_does_not_cost_an_honest_program(call_us: float) -> None:
    program = Program(call_us)
    bench = Bench(program, contents=6)
    complete = bench.memory.complete

    def slow_before(number: int, content: int) -> None:
        complete(number, content)
        program.cold_us = 60.0 if bench.world.now_ns < 0.2e9 else 0.0

    bench.memory.complete = slow_before  # type: ignore[method-assign]
    assert bench.timing().median_us == pytest.approx(call_us, rel=0.004)


def test_what_single_calls_always_take_is_not_doubted_away() -> None:
    bench = Bench(Overlapping(180.0, ways=1.5), contents=6)
    assert bench.timing().median_us >= least_us(180.0)
    assert bench.world.now_ns < 2e9


def test_three_cases_are_timed_within_a_second() -> None:
    bench = Bench(Program(119.0))
    bench.timing()
    assert bench.world.now_ns < 0.34e9


def test_batches_take_about_as_long_as_asked() -> None:
    bench = Bench(Program(100.0))
    bench.timing()
    assert max(bench.orders.counts) == pytest.approx(200, rel=0.05)


def test_calls_longer_than_a_batch_are_all_gated() -> None:
    bench = Bench(Program(30_000.0))
    timing = bench.timing()
    assert set(bench.orders.counts) <= {1, bench.sets}
    assert timing.repetitions >= POLICY.min_gated


def test_very_slow_calls_are_made_a_few_times_only() -> None:
    bench = Bench(Program(900_000.0))
    timing = bench.timing()
    assert timing.repetitions == 3
    assert len(bench.orders.counts) <= 7


def test_arguments_that_are_read_and_written_are_used_once_per_arming() -> None:
    bench = Bench(Program(100.0), once=True)
    timing = bench.timing()
    assert max(bench.orders.counts) == bench.sets
    assert timing.median_us == pytest.approx(100.0, rel=0.01)


def test_the_same_samples_give_the_same_timing() -> None:
    assert Bench(Program(50.0), seed=7).time() == Bench(Program(50.0), seed=7).time()


def test_a_disturbed_repetition_is_made_again() -> None:
    timing = Bench(Program(50.0), reasons=[None, None, "hot", None, "hot"]).timing()
    assert timing.discarded == 2
    assert timing.median_us == pytest.approx(50.0, rel=0.004)


def test_repetitions_are_not_retried_without_end() -> None:
    found = Bench(Program(50.0), reasons=[None] + ["hot"] * 100).time()
    assert found == Disturbed("hot")


def test_a_gpu_that_is_slow_with_nobody_else_on_it_points_at_the_program() -> None:
    bench = Bench(Program(50.0))
    bench.memory.snapshot_us *= 50
    found = bench.time()
    assert isinstance(found, Disturbed)
    assert not found.outside
    assert found.reason == (
        "A snapshot of 1 sets took 1000 us at best, and on an idle GPU takes 35 us at most."
    )


def test_a_snapshot_that_is_slow_now_and_then_costs_an_honest_program_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def jittery(orders: Ordering, work: Callable[[], object]) -> float:
        return timed_us(orders, work) + (500 if bench.world.dice.random() < 0.3 else 0)

    bench = Bench(Program(50.0))
    monkeypatch.setattr(repetitions, "timed_us", jittery)
    timing = bench.timing()
    assert timing.discarded == 0
    assert timing.median_us == pytest.approx(50.0, rel=0.004)


def test_what_nvml_saw_speaks_for_the_program_whatever_came_after() -> None:
    bench = Bench(Program(50.0), reasons=[None, "hot"])
    end = bench.guard.end

    def then_slow() -> str | None:
        if reason := end():
            bench.memory.snapshot_us *= 50
        return reason

    bench.guard.end = then_slow  # type: ignore[method-assign]
    found = bench.time()
    assert isinstance(found, Disturbed)
    assert found.outside
    assert "on an idle GPU" in found.reason


def test_disturbed_fresh_calls_disturb_the_case_because_no_fresh_contents_are_left() -> None:
    assert isinstance(Bench(Program(50.0), reasons=["hot"]).time(), Disturbed)


def test_one_content_is_too_few() -> None:
    with pytest.raises(ValueError, match="at least two contents"):
        Bench(Program(50.0), contents=1).time()


def test_a_time_below_the_floor_is_held_for_review() -> None:
    assert Bench(Program(50.0), roofline=Roofline(90, 60)).time() == Finding(Verdict.REJECTED, BELOW_FLOOR)
    timing = Bench(Program(50.0), roofline=Roofline(40, 20)).timing()
    assert timing.floor_us == 40
    assert timing.roofline_percent == pytest.approx(80, abs=1)


def rejection(program: Program) -> str:
    found = Bench(program).time()
    assert isinstance(found, Finding), found
    assert found.verdict is Verdict.REJECTED
    return found.message


def test_widely_overlapped_calls_are_rejected() -> None:
    assert rejection(Overlapping(400.0, ways=4)) == IMPOSSIBLE


def test_what_a_busy_host_can_look_like_gets_the_time_of_single_calls() -> None:
    timing = Bench(Overlapping(40.0, ways=4)).timing()
    assert timing.median_us >= least_us(40.0)
    assert timing.bounded


def test_sets_computed_once_for_many_calls_are_rejected() -> None:
    assert rejection(OncePerSet(40.0)) == IMPOSSIBLE


def test_calls_left_undone_are_wrong() -> None:
    found = Bench(SkippingAfterTheFirst(40.0)).time()
    assert isinstance(found, Finding)
    assert found.verdict is Verdict.WRONG_ANSWER


def test_an_answer_kept_by_pointer_is_wrong() -> None:
    found = Bench(ReplayingByPointer(40.0)).time()
    assert isinstance(found, Finding)
    assert found.verdict is Verdict.WRONG_ANSWER


def test_answers_kept_by_content_are_rejected() -> None:
    assert rejection(ReplayingByContent(200.0, share=0.02)) == IMPOSSIBLE


def test_done_long_before_the_work_is_wrong() -> None:
    found = Bench(EarlyDone(500.0, early_us=400.0)).time()
    assert isinstance(found, Finding)


def test_done_a_little_early_gains_nothing() -> None:
    found = Bench(EarlyDone(50.0, early_us=8.0)).time()
    assert isinstance(found, Finding) or found.median_us >= least_us(50.0)


def test_outputs_written_before_go_are_seen() -> None:
    assert rejection(ComputingAhead(40.0, openly=True)) == EARLY


@pytest.mark.parametrize("seed", range(20))
def test_go_is_held_back_in_every_session(seed: int) -> None:
    found = Bench(
        ComputingAhead(2000.0, openly=True), seed=seed, policy=Policy(max_gated=3, min_gated=3)
    ).time()
    assert isinstance(found, Finding)


def test_a_kernel_that_never_ends_is_seen() -> None:
    assert rejection(ComputingAhead(40.0, openly=False)) in {BUSY, EARLY}


def test_late_writes_are_rejected() -> None:
    assert "changed after" in rejection(WritingLate(40.0))


def test_a_gpu_that_is_busy_while_it_should_be_idle_disturbs() -> None:
    bench = Bench(Program(40.0))
    bench.memory.snapshot_us = 60.0
    assert isinstance(bench.time(), Disturbed)


@settings(max_examples=60, deadline=None)
@given(
    call_us=st.floats(2.0, 30_000.0),
    gain=st.floats(1.0, 20.0),
    kind=st.sampled_from(["overlap", "once", "content", "early"]),
    seed=st.integers(0, 1000),
)
def test_no_cheat_gains_more_than_the_margin(call_us: float, gain: float, kind: str, seed: int) -> None:
    program = {
        "overlap": lambda: Overlapping(call_us, ways=gain),
        "once": lambda: OncePerSet(call_us),
        "content": lambda: ReplayingByContent(call_us, share=1 / gain),
        "early": lambda: EarlyDone(call_us, early_us=gain * 2),
    }[kind]()
    found = Bench(program, seed=seed).time()
    assert isinstance(found, Finding | Disturbed) or found.median_us >= least_us(call_us) * 0.999


@settings(max_examples=40, deadline=None)
@given(
    call_us=st.floats(2.0, 30_000.0),
    noise=st.floats(0.0, 0.01),
    sets=st.integers(2, 40),
    contents=st.integers(2, 6),
    once=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_honest_programs_are_never_rejected(
    call_us: float, noise: float, sets: int, contents: int, once: bool, seed: int
) -> None:
    timing = Bench(Program(call_us, noise), sets, contents, once, seed).time()
    assert isinstance(timing, Timing)
    assert timing.median_us >= call_us * 0.995
    assert timing.median_us <= call_us * (1.005 + 1.5 * noise) + 0.6
