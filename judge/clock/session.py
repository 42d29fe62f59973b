"""Times one case by the observations of the referee's gate on the device, and checks all outputs.

Theory of operation. The runner shares its process with the submission, so its own measurements cannot rank.
`judge.gpu.device.gate` explains how one call is timed, and `judge.clock.calls` what happens before and after
a call. A session consists of:

    warm-up     some calls on a content that is used for nothing else
    counted     one call on each other content. The program sees each of them once, in this call, and no other
                submission ever sees them

The warm-up also fixes about how many calls are counted. They end earlier only if their interval is narrow
enough, or if the contents run out.

The figure is the median of the best of three counted calls, with its interval (`judge.clock.estimate`). Every
counted call is a single call on new content: there are no batches and no second calls on the same content,
and nothing is subtracted from the time of the last change.

Source: docs/adr/0009-trusted-clock.md.
"""

import random
import secrets

from judge.clock.calls import Calls, Over
from judge.clock.contracts import CallGate, Interfered, Ordering, Policy, QuietGuard, TimedSets
from judge.clock.estimate import Estimate, estimate
from judge.clock.page import OrderUnanswered
from judge.clock.roofline import Roofline
from judge.report import Timing
from judge.runner.client import ReplyStatus
from judge.runner.inspector import InspectionResult
from problems.vocabulary import Verdict

_WARM = 0  # the content for warming up
_US = 1000
_PATIENCE_US, _PATIENCE = 30e6, 4  # counted calls may take this and so many times their usual time
_LEAST_US = 0.2  # no call can be shorter, since a launch takes longer

BELOW_FLOOR = (
    "This is faster than the memory bandwidth and arithmetic throughput of this GPU allow. "
    "The submission is held for review."
)
TOO_SHORT = (
    "Without MPS, processes share the GPU in time slices of milliseconds. Times under 10 ms are "
    "therefore not ranked."
)
FEW = "Too few calls ran undisturbed, and each input set is used only once."


def time_case(
    orders: Ordering,
    sets: TimedSets,
    gate: CallGate,
    guard: QuietGuard,
    policy: Policy,
    *,
    timeout_s: float,
    roofline: Roofline | None = None,
    dice: random.Random | None = None,
) -> Timing | InspectionResult | Interfered:
    """Time the calls of one case in an open session.

    Args:
        orders: sends orders to the runner.
        sets: the argument sets that the session was opened with, and at least two contents that no program
            has ever seen.
        gate: lets calls through and times them.
        guard: observes the GPU.
        policy: the parameters of timing.
        timeout_s: the limit for one call.
        roofline: the roofline of the case on this GPU, None if unknown.
        dice: the source of randomness; the system's CSPRNG by default.

    Returns:
        A time, a finding, or Interfered. If the time is too short for the resolution of this GPU's clock, the
        finding has the verdict `accepted` and a message. Other findings are against the program.

    Raises:
        OrderUnanswered: the runner ended, or took too long.
        ValueError: there are fewer than two contents.
    """
    if sets.contents < 2:
        raise ValueError(
            f"timing needs at least two input sets of a case (one for the warm-up), got {sets.contents}"
        )
    dice = dice or secrets.SystemRandom()
    calls = Calls(orders, sets, gate, guard, policy, timeout_s=timeout_s, dice=dice)
    try:
        calls.warm_up(_WARM)
        times_us = _counted(orders, sets, calls, policy, dice)
    except Over as over:
        return over.found
    found = estimate(times_us)
    if found.median < policy.least_us:
        return InspectionResult(Verdict.ACCEPTED, TOO_SHORT)
    if roofline is not None and found.median < roofline.impossible_us:
        return InspectionResult(Verdict.REJECTED, BELOW_FLOOR)
    return _timing(found, len(times_us), calls, guard, roofline)


def _counted(
    orders: Ordering, sets: TimedSets, calls: Calls, policy: Policy, dice: random.Random
) -> list[float]:
    """Return the times of the counted calls, in microseconds.

    A program that was slow in the warm-up only, so as to be counted few times, is counted as often as others.
    A program whose host was fast in the warm-up only ends by a timeout, never by a time.
    """
    unseen = dice.sample(range(1, sets.contents), sets.contents - 1)
    budget_us = policy.budget_ms * 1000
    available, fit = len(unseen), int(budget_us / calls.turn_us)
    times_us: list[float] = []
    started = orders.now()
    while True:
        slow = min([calls.expected_us, *times_us]) > budget_us
        size, enough = (1, policy.enough_slow_calls) if slow else (policy.block_calls, policy.enough_calls)
        most = max(enough, fit)
        counted = len(times_us)
        if not unseen or counted >= most or (counted >= enough and _precise(times_us, policy)):
            break
        if (orders.now() - started) / _US > _PATIENCE_US + _PATIENCE * most * calls.turn_us:
            raise OrderUnanswered(ReplyStatus.TIMED_OUT)
        block, unseen = unseen[:size], unseen[size:]
        times_us += calls.block(block)
    if len(times_us) < min(available, policy.min_calls, enough):
        raise Over(Interfered(FEW))
    return times_us


def _precise(times_us: list[float], policy: Policy) -> bool:
    found = estimate(times_us)
    return found.median > 0 and found.half_width_share <= policy.precision_share


def _timing(
    found: Estimate, repetitions: int, calls: Calls, guard: QuietGuard, roofline: Roofline | None
) -> Timing:
    conditions = guard.conditions
    median_us = max(found.median, _LEAST_US)
    return Timing(
        median_us=median_us,
        low_us=max(found.low, _LEAST_US),
        high_us=max(found.high, _LEAST_US),
        repetitions=repetitions,
        queued=calls.queued and not calls.waits,
        floor_us=None if roofline is None else roofline.floor_us,
        roofline_percent=None if roofline is None else 100 * roofline.floor_us / median_us,
        sm_mhz=conditions.sm_mhz,
        memory_mhz=conditions.memory_mhz,
        temperature_c=conditions.temperature_c,
        power_w=conditions.power_w,
        discarded=calls.discarded,
        placement=None if roofline is None else roofline.place(median_us),
        remarkable=roofline is not None and median_us < roofline.second_look_us,
    )
