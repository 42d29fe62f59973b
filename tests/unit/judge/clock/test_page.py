"""Orders over a real page, to a process of its own."""

import mmap
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from judge.clock.page import Orders, OrderUnanswered, create_page
from judge.conversation import Answer
from sandbox.wire import Page


@contextmanager
def page() -> Iterator[int]:
    descriptor = create_page()
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def answer_orders(descriptor: int, call_s: float) -> None:
    """What a runner does, slowly: `call_s` for every call."""
    words = memoryview(mmap.mmap(descriptor, Page.BYTES)).cast("Q")
    last = 0
    while True:
        if (number := words[Page.GO // 8]) == last:
            time.sleep(0.0001)
            continue
        count = words[Page.COUNT // 8]
        time.sleep(call_s * count)
        words[Page.SELF_REPORTED_NS // 8] = 1000 * count + words[Page.SET // 8]
        words[Page.DONE // 8] = last = number
        if not count:
            return


@contextmanager
def runner(descriptor: int, call_s: float = 0.0) -> Iterator[int]:
    child = os.fork()
    if not child:
        try:
            answer_orders(descriptor, call_s)
        finally:
            os._exit(0)
    try:
        yield child
    finally:
        os.waitpid(child, 0)


def test_orders_are_carried_out_with_what_belongs_to_them() -> None:
    with page() as descriptor, runner(descriptor), Orders(descriptor, lambda: None) as orders:
        for first_set, count in ((3, 1), (0, 7), (5, 2)):
            given = orders.give(first_set=first_set, count=count)
            assert orders.premature
            done = orders.wait(timeout_s=10)
            assert done > given
            assert not orders.premature
            assert orders.self_reported_us == pytest.approx((1000 * count + first_set) / 1000)
        orders.end()


def test_the_wait_takes_as_long_as_the_calls() -> None:
    with page() as descriptor, runner(descriptor, 0.02), Orders(descriptor, lambda: None) as orders:
        given = orders.give(first_set=0, count=2)
        assert 0.04 <= (orders.wait(timeout_s=10) - given) / 1e9 < 2
        orders.end()


def test_no_answer_is_a_time_out() -> None:
    with page() as descriptor, Orders(descriptor, lambda: None) as orders:
        orders.give(first_set=0, count=1)
        with pytest.raises(OrderUnanswered) as caught:
            orders.wait(timeout_s=0.01)
        assert caught.value.answer is Answer.TIMED_OUT


def test_the_end_of_the_runner_ends_the_wait() -> None:
    with page() as descriptor, Orders(descriptor, lambda: Answer.DIED) as orders:
        orders.give(first_set=0, count=1)
        with pytest.raises(OrderUnanswered) as caught:
            orders.wait(timeout_s=30)
        assert caught.value.answer is Answer.DIED


def test_an_answer_to_no_order_is_seen() -> None:
    with page() as descriptor, Orders(descriptor, lambda: None) as orders:
        os.pwrite(descriptor, struct.pack("<Q", 1), Page.DONE)
        assert orders.premature


def test_done_ahead_of_the_order_breaks_the_protocol_at_once() -> None:
    with page() as descriptor, Orders(descriptor, lambda: None) as orders:
        orders.give(first_set=0, count=1)
        os.pwrite(descriptor, struct.pack("<Q", 2), Page.DONE)
        with pytest.raises(OrderUnanswered) as raised:
            orders.wait(timeout_s=60)
    assert raised.value.answer is Answer.BROKE_PROTOCOL


def test_the_page_cannot_be_cut_off_under_us() -> None:
    with page() as descriptor, pytest.raises(PermissionError):
        os.ftruncate(descriptor, 0)


def test_time_passes_while_pausing() -> None:
    with page() as descriptor, Orders(descriptor, lambda: None) as orders:
        before = orders.now()
        orders.pause(2000)
        assert orders.now() - before >= 2_000_000
