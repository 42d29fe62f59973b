"""Leases between threads and real processes: shares, order, deaths, promotion, two GPUs."""

import fcntl
import multiprocessing
import os
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from sandbox.gpu.lease import LeaseCancelled, Leases, Reservation, Share

GPU, OTHER = "GPU-a", "GPU-b"
SPAWN = multiprocessing.get_context("spawn")  # a fork would inherit the descriptors of leases held here


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def hold(directory: Path, share: Share, slots: int, told: Connection) -> None:
    """A process with a lease, which obeys: `promote`, `release`."""
    lease = Leases(directory, slots=slots).acquire(GPU, share, label="child")
    told.send("held")
    while True:
        match told.recv():
            case "promote":
                told.send(lease.try_promote())
            case "release":
                lease.release()
                told.send("released")
                return


class Child:
    """Another process with a lease."""

    def __init__(self, directory: Path, share: Share, slots: int = 4) -> None:
        self._ours, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=hold, args=(directory, share, slots, theirs))
        self.process.start()

    def wait(self) -> None:
        assert self._ours.poll(30)
        assert self._ours.recv() == "held"

    @property
    def has_it(self) -> bool:
        return self._ours.poll(0)

    def tell(self, word: str) -> object:
        self.order(word)
        return self.answer()

    def order(self, word: str) -> None:
        self._ours.send(word)

    def answer(self) -> object:
        assert self._ours.poll(30)
        return self._ours.recv()

    def kill(self) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()


@contextmanager
def children(*made: Child) -> Iterator[None]:
    try:
        yield
    finally:
        for child in made:
            child.process.kill()
            child.process.join()


@pytest.fixture
def leases(tmp_path: Path) -> Leases:
    return Leases(tmp_path, slots=2)


def soon(seconds: float = 0.05) -> Callable[[], bool]:
    """Cancels after a while."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def refused(leases: Leases, share: Share) -> bool:
    try:
        leases.acquire(GPU, share, soon()).release()
    except LeaseCancelled:
        return True
    return False


def test_checks_share_up_to_the_slots_and_a_rank_is_alone(leases: Leases) -> None:
    first, second = (leases.acquire(GPU, Share.CHECK) for _ in range(2))
    assert refused(leases, Share.CHECK)
    assert refused(leases, Share.RANK)
    first.release()
    first.release()
    with leases.acquire(GPU, Share.CHECK):
        pass
    second.release()
    with leases.acquire(GPU, Share.RANK) as alone:
        assert alone.share is Share.RANK
        assert refused(leases, Share.CHECK)
        assert refused(leases, Share.RANK)
        leases.acquire(OTHER, Share.RANK).release()
    assert not refused(leases, Share.CHECK)


def test_cancelling_takes_a_waiter_out_of_the_line_at_once(leases: Leases) -> None:
    with leases.acquire(GPU, Share.RANK):
        cancelled = threading.Event()
        raised: list[float] = []

        def wait() -> None:
            try:
                leases.acquire(GPU, Share.CHECK, cancelled.is_set)
            except LeaseCancelled:
                raised.append(time.monotonic())

        thread = threading.Thread(target=wait)
        thread.start()
        until(lambda: leases.waiting(GPU) == 1)
        began = time.monotonic()
        cancelled.set()
        thread.join()
        assert raised[0] - began < 0.05
        assert leases.waiting(GPU) == 0
    assert not refused(leases, Share.RANK)


def test_processes_exclude_each_other_and_a_killed_one_frees_its_lease(tmp_path: Path) -> None:
    leases = Leases(tmp_path, slots=2)
    holder = Child(tmp_path, Share.RANK)
    with children(holder):
        holder.wait()
        assert refused(leases, Share.CHECK)
        holder.kill()
        with leases.acquire(GPU, Share.RANK, soon(5)):
            pass


def test_a_waiter_that_is_killed_holds_nobody_up(tmp_path: Path) -> None:
    leases = Leases(tmp_path, slots=2)
    with leases.acquire(GPU, Share.CHECK) as first:
        waiter = Child(tmp_path, Share.RANK)
        with children(waiter):
            until(lambda: leases.waiting(GPU) == 1)
            assert refused(leases, Share.CHECK), "a slot is free, but a rank stands before us"
            waiter.kill()
            assert not refused(leases, Share.CHECK)
            first.release()
            assert not refused(leases, Share.RANK)


def test_processes_that_allow_different_numbers_of_slots_exclude_a_rank(tmp_path: Path) -> None:
    many, one = Leases(tmp_path, slots=8), Leases(tmp_path, slots=1)
    held = [many.acquire(GPU, Share.CHECK) for _ in range(8)]
    held[0].release()
    assert refused(one, Share.RANK)
    for lease in held:
        lease.release()
    assert not refused(one, Share.RANK)


def test_entry_is_first_come_first_served(leases: Leases) -> None:
    entered: list[int] = []

    def enter(number: int, share: Share) -> None:
        with leases.acquire(GPU, share):
            entered.append(number)

    threads = []
    with leases.acquire(GPU, Share.RANK):
        for number in range(12):
            share = Share.RANK if number % 3 == 0 else Share.CHECK
            threads.append(threading.Thread(target=enter, args=(number, share)))
            threads[-1].start()
            until(lambda: leases.waiting(GPU) == len(threads))
    for thread in threads:
        thread.join()
    ranks = [number for number in entered if number % 3 == 0]
    assert ranks == [0, 3, 6, 9]
    for place, number in enumerate(entered):
        if number % 3 == 0:  # all before a rank came before it, all after it after
            assert all(earlier < number for earlier in entered[:place])
            assert all(later > number for later in entered[place + 1 :])


def stream_of_checks(directory: Path, stop: Connection) -> None:
    leases = Leases(directory, slots=3)
    while not stop.poll(0):
        with leases.acquire(GPU, Share.CHECK):
            time.sleep(0.02)


def test_a_rank_gets_in_under_a_stream_of_checks(tmp_path: Path) -> None:
    pipes = [SPAWN.Pipe() for _ in range(5)]
    processes = [SPAWN.Process(target=stream_of_checks, args=(tmp_path, theirs)) for _, theirs in pipes]
    leases = Leases(tmp_path, slots=3)
    try:
        for process in processes:
            process.start()
        until(lambda: len(leases.holders(GPU)) == 3 and leases.waiting(GPU) >= 1)
        waits = []
        for _ in range(10):
            began = time.monotonic()
            with leases.acquire(GPU, Share.RANK, soon(20)):
                waits.append(time.monotonic() - began)
                assert [holder.share for holder in leases.holders(GPU)] == [Share.RANK]
        assert max(waits) < 5, "two rounds of checks take 40 ms; the rest is the machine's load"
    finally:
        for ours, _ in pipes:
            ours.send("stop")
        for process in processes:
            process.join(30)
            process.kill()


def test_promotion_needs_to_be_alone_and_loses_nothing(leases: Leases) -> None:
    first, second = (leases.acquire(GPU, Share.CHECK) for _ in range(2))
    assert not first.try_promote()
    assert first.share.value == "check"
    assert refused(leases, Share.CHECK), "both slots are still held"
    second.release()
    assert first.try_promote()
    assert first.try_promote()
    assert first.share is Share.RANK
    assert refused(leases, Share.CHECK)
    first.release()
    assert not refused(leases, Share.RANK)


def test_promotion_does_not_jump_the_queue(tmp_path: Path) -> None:
    leases = Leases(tmp_path, slots=2)
    lease = leases.acquire(GPU, Share.CHECK)
    waiter = Child(tmp_path, Share.RANK)
    with children(waiter):
        until(lambda: leases.waiting(GPU) == 1)
        assert not lease.try_promote()
        lease.release()
        waiter.wait()


def test_of_two_that_promote_at_once_none_or_one_wins(tmp_path: Path) -> None:
    for _ in range(3):
        two = [Child(tmp_path, Share.CHECK), Child(tmp_path, Share.CHECK)]
        with children(*two):
            for child in two:
                child.wait()
            for child in two:
                child.order("promote")
            assert [child.answer() for child in two] == [False, False]
            two[0].tell("release")
            assert two[1].tell("promote") is True


def test_holders_are_named(leases: Leases) -> None:
    assert leases.holders(GPU) == ()
    with leases.acquire(GPU, Share.CHECK, label="job-1"), leases.acquire(GPU, Share.CHECK, label="ü" * 99):
        one, two = leases.holders(GPU)
        assert (one.share, one.pid, one.label) == (Share.CHECK, os.getpid(), "job-1")
        assert abs(one.since - time.time()) < 5
        assert two.label.startswith("ü")
    with leases.acquire(GPU, Share.RANK, label="job-2"):
        (alone,) = leases.holders(GPU)
        assert (alone.share, alone.label) == (Share.RANK, "job-2")


def test_a_holder_that_has_not_signed_is_still_a_holder(leases: Leases, tmp_path: Path) -> None:
    with leases.acquire(GPU, Share.CHECK):
        (tmp_path / "leases" / f"{GPU}.room").write_bytes(b"torn{")
        (holder,) = leases.holders(GPU)
        assert (holder.share, holder.pid) == (Share.CHECK, 0)


def reserve(
    leases: Leases, uuids: list[str], share: Share, cancelled: Callable[[], bool] = lambda: False
) -> Reservation:
    (reservation,) = leases.reserve_several([(uuid,) for uuid in uuids], share, cancelled)
    return reservation


def chosen(leases: Leases, uuids: list[str], share: Share) -> str:
    reservation = reserve(leases, uuids, share)
    reservation.release()
    return reservation.uuid


def test_the_least_loaded_gpu_is_chosen(leases: Leases) -> None:
    with leases.acquire(GPU, Share.CHECK):
        assert chosen(leases, [GPU, OTHER], Share.CHECK) == OTHER
        with leases.acquire(OTHER, Share.RANK):
            assert chosen(leases, [GPU, OTHER], Share.CHECK) == GPU, (
                "one checks here, there a rank keeps all out"
            )
            assert chosen(leases, [OTHER], Share.CHECK) == OTHER
    assert {chosen(leases, [GPU, OTHER], Share.RANK) for _ in range(50)} == {GPU, OTHER}
    with pytest.raises(ValueError, match="no GPU is available"):
        reserve(leases, [], Share.CHECK)


def reserve_when_told(directory: Path, told: Connection) -> None:
    """A process that chooses whenever it is told to, and keeps its choice until the next time."""
    leases, kept = Leases(directory), None
    while told.recv() == "choose":
        kept = reserve(leases, [GPU, OTHER], Share.CHECK)
        told.send(kept.uuid)
        told.recv()
        kept.release()
        told.send("released")


@contextmanager
def choosers(directory: Path, count: int) -> Iterator[tuple[list[Connection], list[SpawnProcess]]]:
    pipes = [SPAWN.Pipe() for _ in range(count)]
    processes = [SPAWN.Process(target=reserve_when_told, args=(directory, theirs)) for _, theirs in pipes]
    for process in processes:
        process.start()
    try:
        yield [ours for ours, _ in pipes], processes
    finally:
        for process in processes:
            process.kill()
            process.join()


def choice_of(pipe: Connection) -> str:
    assert pipe.poll(30)
    return str(pipe.recv())


def test_two_processes_that_come_at_once_never_choose_the_same_gpu_while_another_is_idle(
    tmp_path: Path,
) -> None:
    with choosers(tmp_path, 4) as (pipes, _):
        for _ in range(25):
            for pipe in pipes:
                pipe.send("choose")
            assert sorted(choice_of(pipe) for pipe in pipes) == [GPU, GPU, OTHER, OTHER]
            for pipe in pipes:
                pipe.send("release")
            assert {choice_of(pipe) for pipe in pipes} == {"released"}


def test_the_choice_of_a_process_that_is_killed_counts_no_more(tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    with choosers(tmp_path, 1) as ((pipe,), (process,)):
        pipe.send("choose")
        taken = choice_of(pipe)
        assert leases.coming(taken) == 1
        assert {chosen(leases, [GPU, OTHER], Share.CHECK) for _ in range(20)} == {GPU, OTHER} - {taken}
        process.kill()
        until(lambda: not leases.coming(taken))
        assert {chosen(leases, [GPU, OTHER], Share.CHECK) for _ in range(50)} == {GPU, OTHER}


def test_a_choice_counts_until_its_holder_is_in_line(leases: Leases) -> None:
    reservation = reserve(leases, [GPU], Share.CHECK)
    assert leases.coming(GPU) == 1
    with leases.acquire(GPU, Share.CHECK, reservation=reservation):
        assert leases.coming(GPU) == 0
        reservation.release()
        assert len(leases.holders(GPU)) == 1
    first, second = reserve(leases, [GPU], Share.CHECK), reserve(leases, [GPU], Share.CHECK)
    assert leases.coming(GPU) == 2
    first.release()
    assert leases.coming(GPU) == 1
    second.release()
    assert leases.coming(GPU) == 0


def test_a_choice_that_is_cancelled_does_not_wait_for_another(leases: Leases, tmp_path: Path) -> None:
    with (tmp_path / "leases" / "choosing").open("w+") as choosing:
        fcntl.fcntl(choosing, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", fcntl.F_WRLCK, 0, 0, 1, 0))
        with pytest.raises(LeaseCancelled):
            reserve(leases, [GPU], Share.CHECK, lambda: True)
    reserve(leases, [GPU], Share.CHECK).release()


def test_an_impossible_number_of_slots_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        Leases(tmp_path, slots=0)


def test_several_gpus_are_leased_at_once_and_alone(leases: Leases) -> None:
    with leases.acquire_all([OTHER, GPU], label="two") as both:
        assert both.share is Share.RANK
        assert both.try_promote()
        for uuid in (GPU, OTHER):
            (holder,) = leases.holders(uuid)
            assert (holder.share, holder.label) == (Share.RANK, "two")
            with pytest.raises(LeaseCancelled):
                leases.acquire(uuid, Share.CHECK, soon())
    assert leases.holders(GPU) == leases.holders(OTHER) == ()


def test_who_waits_for_several_gpus_is_overtaken_at_none(leases: Leases) -> None:
    """The first GPU is free, the second one is not. A check that comes later to the first one waits."""
    entered: list[str] = []

    def take_both() -> None:
        with leases.acquire_all([GPU, OTHER]):
            entered.append("both")

    def take_one() -> None:
        with leases.acquire(GPU, Share.CHECK):
            entered.append("one")

    held = leases.acquire(OTHER, Share.CHECK)
    threads = [threading.Thread(target=take_both), threading.Thread(target=take_one)]
    threads[0].start()
    until(lambda: leases.holders(GPU))
    threads[1].start()
    until(lambda: leases.waiting(GPU) == 2)  # the one that has both numbers, and the one behind it
    assert entered == []
    held.release()
    for thread in threads:
        thread.join(30)
    assert entered == ["both", "one"]


def test_sets_that_overlap_never_wait_for_each_other(tmp_path: Path) -> None:
    third = "GPU-c"
    sets = ([GPU, OTHER], [OTHER, third], [third, GPU], [GPU, OTHER, third])
    leases = Leases(tmp_path)
    inside: set[str] = set()
    clashes: list[str] = []
    rounds = 15

    def work(wanted: list[str]) -> None:
        for _ in range(rounds):
            with leases.acquire_all(wanted, soon(60)):
                clashes.extend(inside & set(wanted))
                inside.update(wanted)
                time.sleep(0.001)
                inside.difference_update(wanted)

    threads = [threading.Thread(target=work, args=(wanted,)) for wanted in (*sets, *sets)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert clashes == []


def test_cancelling_a_wait_for_several_gpus_leaves_nothing(leases: Leases) -> None:
    with leases.acquire(OTHER, Share.RANK):
        with pytest.raises(LeaseCancelled):
            leases.acquire_all([GPU, OTHER], soon())
        assert leases.holders(GPU) == ()
        assert leases.waiting(GPU) == leases.waiting(OTHER) == 0


def test_the_group_whose_worst_gpu_is_soonest_free_is_chosen(leases: Leases) -> None:
    groups = [(GPU, OTHER), ("GPU-c", "GPU-d")]
    with leases.acquire(OTHER, Share.CHECK):
        chosen_now = leases.reserve_several(groups, Share.RANK)
        assert [reservation.uuid for reservation in chosen_now] == ["GPU-c", "GPU-d"]
        assert leases.coming("GPU-c") == leases.coming("GPU-d") == 1
        leases.acquire_all(["GPU-c", "GPU-d"], reservations=chosen_now).release()
        assert leases.coming("GPU-c") == 0
    with pytest.raises(ValueError, match="no GPU is available"):
        leases.reserve_several([], Share.RANK)
