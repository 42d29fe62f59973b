"""Tests orders on a real page to a runner in a separate thread."""

import mmap
import os
import struct
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from judge.clock.page import ClockOrders, OrderUnanswered, create_page
from judge.runner.client import ReplyStatus
from sandbox.wire import Page, PageOrder


@contextmanager
def page() -> Iterator[int]:
    descriptor = create_page()
    try:
        yield descriptor
    finally:
        os.close(descriptor)


Seen = list[tuple[int, int]]


def answer_orders(descriptor: int) -> Seen:
    """Do the work of a runner. Return the set and the kind of each order."""
    words = memoryview(mmap.mmap(descriptor, Page.BYTES)).cast("Q")
    seen: Seen = []
    number = 0
    while True:
        number += 1
        while words[Page.ORDER // 8] < number:
            time.sleep(0.0001)
        kind = words[Page.KIND // 8]
        if kind == PageOrder.END:
            return seen
        seen.append((words[Page.SET // 8], kind))
        if kind == PageOrder.QUEUED:
            words[Page.QUEUED // 8] = number
        while kind == PageOrder.CALLED and words[Page.GO // 8] < number:
            time.sleep(0.0001)
        words[Page.DONE // 8] = number


@contextmanager
def runner(descriptor: int) -> Iterator["Future[Seen]"]:
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(answer_orders, descriptor)


def test_orders_are_carried_out_with_what_belongs_to_them() -> None:
    with page() as descriptor, runner(descriptor) as seen, ClockOrders(descriptor, lambda: None) as orders:
        assert orders.give(argument_set=3, queued=True) == orders.number == 1
        assert orders.await_queued(timeout_s=10)
        orders.await_done(timeout_s=10)
        assert orders.give(argument_set=5, queued=False) == orders.number == 2
        assert not orders.await_queued(timeout_s=0.05)
        orders.open()
        orders.await_done(timeout_s=10)
        orders.end()
        assert seen.result(10) == [(3, PageOrder.QUEUED), (5, PageOrder.CALLED)]


def test_a_call_is_not_done_before_it_may_begin() -> None:
    with page() as descriptor, runner(descriptor), ClockOrders(descriptor, lambda: None) as orders:
        orders.give(argument_set=0, queued=False)
        with pytest.raises(OrderUnanswered):
            orders.await_done(timeout_s=0.05)
        orders.open()
        orders.await_done(timeout_s=10)
        orders.end()


def test_no_answer_is_a_time_out() -> None:
    with page() as descriptor, ClockOrders(descriptor, lambda: None) as orders:
        orders.give(argument_set=0, queued=True)
        assert not orders.await_queued(timeout_s=0.01)
        with pytest.raises(OrderUnanswered) as caught:
            orders.await_done(timeout_s=0.01)
        assert caught.value.answer is ReplyStatus.TIMED_OUT


def test_the_end_of_the_runner_ends_every_wait() -> None:
    with page() as descriptor, ClockOrders(descriptor, lambda: ReplyStatus.DIED) as orders:
        orders.give(argument_set=0, queued=True)
        waits: list[Callable[[], object]] = [
            lambda: orders.await_queued(timeout_s=30),
            lambda: orders.await_done(timeout_s=30),
            orders.require_alive,
        ]
        for wait in waits:
            with pytest.raises(OrderUnanswered) as caught:
                wait()
            assert caught.value.answer is ReplyStatus.DIED


def test_what_a_runner_writes_ahead_only_ends_a_wait() -> None:
    with page() as descriptor, ClockOrders(descriptor, lambda: None) as orders:
        orders.give(argument_set=0, queued=True)
        for field in (Page.QUEUED, Page.DONE):
            os.pwrite(descriptor, struct.pack("<Q", 2**64 - 1), field)
        assert orders.await_queued(timeout_s=10)
        orders.await_done(timeout_s=10)
        assert orders.number == 1


def test_the_page_cannot_be_cut_off_under_us() -> None:
    with page() as descriptor, pytest.raises(PermissionError):
        os.ftruncate(descriptor, 0)


def test_time_passes_while_pausing() -> None:
    with page() as descriptor, ClockOrders(descriptor, lambda: None) as orders:
        before = orders.now()
        orders.pause(2000)
        assert orders.now() - before >= 2_000_000
