"""Times one case: what ranks is what the referee's own clock says about work that it has checked in full.

Theory of operation. The runner shares its process with the submission, so nothing that it measures or says
can rank. The referee has its own clock, its own copies of the outputs, and contents that the program has
not seen. `judge.clock.repetitions` explains one repetition. A session is made of:

    warm-up     gated calls and a pass over all sets, on a content that is used for nothing else
    fresh       one gated call on each other content, which the program sees for the first time: nothing
                can have been kept for it. Some contents are held back, for when the first of them raise doubt
    gated       more of them on contents and sets of chance, with blanks strewn in
    batches     calls back to back for about 20 ms, the sets rotating through more memory than the L2 cache
                holds; between batches all contents are dealt anew, all outputs poisoned, everything verified

Warm-up, gated calls and batches look alike from inside. The median over the batches is precise, to a few
parts in a thousand, but a program could overlap the calls of a batch, or compute each set once and leave
the rest undone. A gated call leaves it nothing to overlap with or to leave out. So the figure is the
batches' median or the bound by gated calls, whichever is slower; a batch far below the bound is rejected.
What a dishonest program can gain at most is the allowance in that bound (`Policy`).

Calls that take longer than a batch are all gated, which is both more precise and stricter.

Source: DESIGN section 5; docs/adr/0009-trusted-clock.md.
"""

import random
import secrets
import statistics
from collections.abc import Sequence

from judge.clock.contracts import Disturbed, Guard, Null, Ordering, Policy, TimedSets
from judge.clock.estimate import Estimate, estimate
from judge.clock.null import lower_quartile
from judge.clock.repetitions import Over, Repetitions
from judge.clock.roofline import Roofline
from judge.inspector import Finding
from judge.report import Timing
from problems.vocabulary import Verdict

_MS_NS = 1_000_000
_WARM = 0  # the content for warming up
_LEAST_US = 0.2  # a launch takes longer, so a call cannot take less
_WARM_PASS_SHARE = 0.25
_FURTHER = 1.5  # each doubt is so much further from the one before
_DOUBTING_SHARE = 4.0  # of the budget
_BLOCK_CALLS = 8  # gated calls between two questions to NVML, which take longer than most calls

IMPOSSIBLE = (
    "Calls of a batch were faster than single calls can be: work was cached, overlapped or left undone."
)
BELOW_FLOOR = (
    "This is faster than the memory and the arithmetic units of this GPU allow. It is held for review."
)


def time_case(
    orders: Ordering,
    sets: TimedSets,
    guard: Guard,
    policy: Policy,
    null: Null,
    *,
    timeout_s: float,
    roofline: Roofline | None = None,
    dice: random.Random | None = None,
) -> Timing | Finding | Disturbed:
    """Time the calls of one case in an open session.

    Args:
        orders: to the runner.
        sets: the argument sets that the session was opened with, and at least two contents that this
            runner has never seen.
        guard: watches the GPU.
        policy: how to time.
        null: what the protocol costs by itself.
        timeout_s: what one call may take.
        roofline: how fast the case can be on this GPU, None if unknown.
        dice: where chance comes from; the system's CSPRNG by default.

    Raises:
        OrderUnanswered: the runner ended, or took too long.
        ValueError: there are fewer than two contents.
    """
    if sets.contents < 2:
        raise ValueError(f"timing needs at least two contents of a case, one to warm up; got {sets.contents}")
    dice = dice or secrets.SystemRandom()
    repetitions = Repetitions(orders, sets, guard, policy, null, timeout_s=timeout_s, dice=dice)
    try:
        return _Session(orders, sets, policy, repetitions, dice).run(guard, null, roofline)
    except Over as over:
        return over.found


class _Session:
    def __init__(
        self,
        orders: Ordering,
        sets: TimedSets,
        policy: Policy,
        repetitions: Repetitions,
        dice: random.Random,
    ) -> None:
        self._orders, self._sets, self._policy = orders, sets, policy
        self._repetitions, self._dice = repetitions, dice
        self._started = orders.now()
        unseen = dice.sample(range(1, sets.contents), sets.contents - 1)
        held_back = (len(unseen) - 1) // 2
        self._contents, self._held_back = unseen[held_back:], unseen[:held_back]
        self._self_reported: list[float] = []
        self._calls = 0

    def run(self, guard: Guard, null: Null, roofline: Roofline | None) -> Timing | Finding:
        expected_us = self._warm_up()
        fresh = self._fresh(self._contents)
        slow = min(fresh) >= self._policy.batch_ms * 1000
        gated = self._gated(fresh, expected_us, slow=slow)
        bound_us = self._bound_us(gated, fresh)
        ranked = estimate(gated) if slow else self._batches(expected_us)
        if ranked.median < bound_us:
            bound_us = self._doubted_us(bound_us, ranked.median, fresh)
        impossible_us = (1 - self._policy.impossible_share) * bound_us - self._policy.impossible_us
        if ranked.median < max(impossible_us, _LEAST_US):
            return Finding(Verdict.REJECTED, IMPOSSIBLE)
        bounded = ranked.median < bound_us
        if bounded:
            ranked = _scaled(ranked, bound_us / ranked.median)
        if roofline is not None and ranked.median < roofline.impossible_us:
            return Finding(Verdict.REJECTED, BELOW_FLOOR)
        conditions = guard.conditions
        return Timing(
            median_us=ranked.median,
            low_us=max(ranked.low, _LEAST_US),
            high_us=ranked.high,
            repetitions=self._calls,
            gated_us=statistics.median(gated),
            null_us=null.us,
            self_reported_us=statistics.median(self._self_reported) if self._self_reported else None,
            floor_us=None if roofline is None else roofline.floor_us,
            roofline_percent=None if roofline is None else 100 * roofline.floor_us / ranked.median,
            sm_mhz=conditions.sm_mhz,
            memory_mhz=conditions.memory_mhz,
            temperature_c=conditions.temperature_c,
            power_w=conditions.power_w,
            discarded=self._repetitions.discarded,
            placement=None if roofline is None else roofline.place(ranked.median),
            bounded=bounded,
        )

    def _warm_up(self) -> float:
        """Make everything that happens only once happen. Returns about how long a call takes."""
        self._repetitions.gated(_WARM)  # with compilation, autotuning and allocation
        expected_us = max(self._repetitions.gated(_WARM), 1.0)
        pass_us = expected_us * self._sets.count
        if pass_us <= _WARM_PASS_SHARE * self._policy.budget_ms * 1000:
            per_call_us, _ = self._repetitions.batch(self._sets.count, expected_us, [_WARM])
            expected_us = min(expected_us, max(per_call_us, _LEAST_US))
        return expected_us

    def _doubted_us(self, bound_us: float, ranked_us: float, fresh: Sequence[float]) -> float:
        """The bound once more single calls were made, at some distance: perhaps something slowed the first.

        Ends as soon as the bound no longer matters. New contents are few: they are called when calls on known
        ones say that the moment is good. What a program cannot do in a single call it can do in none of them,
        so rounds help only the honest.
        """
        fresh, held_back = list(fresh), list(self._held_back)
        by_gated = bound_us
        started = self._orders.now()
        for doubt in range(self._policy.doubts):
            if ranked_us >= bound_us or self._spent(_DOUBTING_SHARE, started):
                break
            self._orders.pause(self._policy.doubt_us * _FURTHER**doubt * self._dice.uniform(0.5, 1.5))
            samples = self._repetitions.guarded(lambda: self._gated_block(_BLOCK_CALLS))
            by_gated = min(by_gated, self._by_gated_us(samples))
            if held_back and by_gated <= ranked_us < self._by_fresh_us(fresh):
                fresh += self._fresh([held_back.pop()])
            bound_us = max(by_gated, self._by_fresh_us(fresh))
        return bound_us

    def _fresh(self, unseen: Sequence[int]) -> list[float]:
        """One gated call on each content that the program has not seen. Disturbed ones are lost for good."""
        discarded = self._repetitions.discarded
        samples = self._repetitions.guarded(lambda: [self._repetitions.gated(content) for content in unseen])
        if self._repetitions.discarded > discarded:
            reason = "Single calls on new contents were disturbed, and no more were drawn."
            raise Over(self._repetitions.disturbed(reason))
        return samples

    def _gated(self, fresh: Sequence[float], expected_us: float, *, slow: bool) -> list[float]:
        """Samples of single calls, those in `fresh` among them, with blanks in between."""
        policy = self._policy
        samples = list(fresh)
        started = self._orders.now()
        least = min(3, policy.min_gated) if expected_us > policy.budget_ms * 1000 else policy.min_gated
        share = 1.0 if slow else policy.gated_share
        blanks = policy.blanks
        while len(samples) < policy.max_gated:
            if len(samples) >= least and (self._spent(share, started) or (slow and self._precise(samples))):
                break
            if blanks and self._dice.random() < 0.5:
                blanks -= 1
                self._repetitions.blank(self._dice.choice(self._contents), expected_us)
            samples += self._repetitions.guarded(lambda: self._gated_block(1 if slow else _BLOCK_CALLS))
        for _ in range(blanks):
            self._repetitions.blank(self._dice.choice(self._contents), expected_us)
        self._calls += len(samples) if slow else 0
        return samples

    def _gated_block(self, calls: int) -> list[float]:
        return [self._repetitions.gated(self._dice.choice(self._contents)) for _ in range(calls)]

    def _batches(self, expected_us: float) -> Estimate:
        policy = self._policy
        samples: list[float] = []
        count = self._count(expected_us)
        per_call_us, _ = self._repetitions.batch(count, expected_us, self._contents)  # clocks settle
        count = self._count(max(per_call_us, _LEAST_US))
        while len(samples) < policy.max_batches:
            if len(samples) >= policy.min_batches and (
                self._precise(samples) or self._spent(1.0, self._started)
            ):
                break
            ours_us, theirs_us = self._repetitions.guarded(
                lambda: self._repetitions.batch(count, expected_us, self._contents)
            )
            samples.append(ours_us)
            self._self_reported.append(theirs_us)
            self._calls += count
        return estimate(samples)

    def _count(self, call_us: float) -> int:
        most = self._sets.count if self._sets.once else self._policy.max_calls
        return max(1, min(most, round(self._policy.batch_ms * 1000 / call_us)))

    def _bound_us(self, gated: Sequence[float], fresh: Sequence[float]) -> float:
        """The fastest that a call can be by what single calls took.

        Of the gated calls the lower quartile counts. What comes between go and the snapshot on a busy host
        only ever makes them longer, and must not be held against the program; and a single call that went
        unnaturally well does not help it. Of the fresh calls the lowest counts: nothing could have been kept
        for any of them.
        """
        return max(self._by_gated_us(gated), self._by_fresh_us(fresh))

    def _by_gated_us(self, samples: Sequence[float]) -> float:
        policy = self._policy
        return lower_quartile(samples) * (1 - policy.gate_share) - policy.gate_us - policy.launch_us

    def _by_fresh_us(self, samples: Sequence[float]) -> float:
        policy = self._policy
        return min(samples) * (1 - policy.fresh_share) - policy.fresh_us - policy.launch_us

    def _precise(self, samples: Sequence[float]) -> bool:
        found = estimate(samples)
        return found.median > 0 and found.half_width_share <= self._policy.precision_share

    def _spent(self, share: float, since_ns: int) -> bool:
        return self._orders.now() - since_ns > share * self._policy.budget_ms * _MS_NS


def _scaled(figure: Estimate, factor: float) -> Estimate:
    return Estimate(figure.median * factor, figure.low * factor, figure.high * factor)
