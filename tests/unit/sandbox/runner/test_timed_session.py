"""Timed sessions of the Python runners, native and in Python, over a real page."""

import functools
import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Protocol

import pytest

from judge.clock.page import ClockOrders, create_page
from sandbox.runner.session import CHANNEL
from sandbox.runner.timed_session import LIBRARY, NativeSession, bind_sets, serve_orders
from sandbox.wire import Request, RequestKind
from testing.services import need

SOURCE = Path(__file__).resolve().parents[4] / "sandbox" / "runner" / "timed_session.cpp"
WAIT_S = 30.0
Calls = list[Callable[[], object]]


class Serve(Protocol):
    def __call__(self, page: int, calls: Calls, /) -> None: ...


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> NativeSession:
    need(shutil.which("g++") is not None, "g++", "apt-get install g++")
    library = tmp_path_factory.mktemp("timed-session") / "timed_session.so"
    argv = ["g++", "-std=c++20", "-O1", "-shared", "-fPIC", str(SOURCE), "-o", str(library), "-ldl"]
    subprocess.run(argv, check=True, timeout=300)
    return NativeSession(str(library))


@pytest.fixture(autouse=True)
def channel() -> None:
    """Something has to be open where a runner's channel is; a closed one reads as a host that has gone."""
    try:
        os.fstat(CHANNEL)
    except OSError:
        opened = os.open("/dev/null", os.O_RDONLY)
        if opened != CHANNEL:
            os.dup2(opened, CHANNEL)
            os.close(opened)


@pytest.fixture(params=["native", "python"])
def serve(request: pytest.FixtureRequest) -> Serve:
    if request.param == "python":
        return serve_orders
    session: NativeSession = request.getfixturevalue("native")
    return lambda page, calls: session.serve(page, calls, 0)


@contextmanager
def page() -> Iterator[int]:
    descriptor = create_page()
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def referee(descriptor: int, sets: Sequence[int], *, end: bool = True) -> threading.Thread:
    """A thread that orders one call after the other, and then the end."""

    def order() -> None:
        with ClockOrders(descriptor, lambda: None) as orders:
            for number in sets:
                orders.give(argument_set=number, queued=False)
                orders.open()
                orders.await_done(timeout_s=WAIT_S)
            if end:
                orders.end()

    thread = threading.Thread(target=order, daemon=True)
    thread.start()
    return thread


def serve_all(serve: Serve, sets: Sequence[int], calls: Calls, *, end: bool = True) -> None:
    with page() as descriptor:
        thread = referee(descriptor, sets, end=end)
        serve(descriptor, calls)
        thread.join(WAIT_S)
        assert not thread.is_alive()


def test_calls_are_made_in_the_order_of_the_orders(serve: Serve) -> None:
    made: list[int] = []
    serve_all(serve, [2, 0, 0, 1, 2], [functools.partial(made.append, number) for number in range(3)])
    assert made == [2, 0, 0, 1, 2]


def test_a_session_may_end_without_a_call(serve: Serve) -> None:
    serve_all(serve, [], [lambda: pytest.fail("it was called")])


def test_what_a_call_raises_ends_the_session(serve: Serve) -> None:
    made: list[int] = []

    def fail() -> None:
        made.append(-1)
        raise KeyError("unlucky")

    with page() as descriptor, ClockOrders(descriptor, lambda: None) as orders:
        orders.give(argument_set=1, queued=False)
        orders.open()
        with pytest.raises(KeyError, match="unlucky"):
            serve(descriptor, [lambda: made.append(0), fail])
        assert made == [-1]
        assert not orders.await_queued(timeout_s=0.01)
    assert gc.isenabled()


def test_no_collection_comes_in_the_middle_of_a_call(serve: Serve) -> None:
    seen: list[bool] = []
    serve_all(serve, [0], [lambda: seen.append(gc.isenabled())])
    assert seen == [False]
    assert gc.isenabled()


def test_other_threads_run_while_an_order_is_waited_for(serve: Serve) -> None:
    """The referee of these tests is such a thread: a session that held on would never hear of an order."""
    counted = threading.Event()
    threading.Timer(0.2, counted.set).start()
    with page() as descriptor:

        def order_late() -> None:
            assert counted.wait(WAIT_S)
            referee(descriptor, [0]).join(WAIT_S)

        thread = threading.Thread(target=order_late, daemon=True)
        thread.start()
        serve(descriptor, [lambda: None])
        thread.join(WAIT_S)


def appending(to: list[int]) -> Callable[[], object]:
    return lambda: to.append(1)


def frames_of(top: FrameType) -> Iterator[FrameType]:
    frame: FrameType | None = top
    while frame is not None:
        yield frame
        frame = frame.f_back


class TestNative:
    def test_the_list_of_calls_is_emptied(self, native: NativeSession) -> None:
        found: list[int] = []
        calls: Calls = []
        calls += [lambda: found.append(len(calls))] * 2
        serve_all(lambda page, held: native.serve(page, held, 0), [0, 1], calls)
        assert found == [0, 0]
        assert calls == []

    def test_a_call_finds_the_others_neither_by_the_collector_nor_by_frames(
        self, native: NativeSession
    ) -> None:
        marks = [object(), object()]
        found: list[object] = []

        def look(mark: object) -> None:
            held = [thing for thing in gc.get_objects() if type(thing) is functools.partial]
            found.extend(thing for thing in held if thing.func is look)
            frames = [frame for top in sys._current_frames().values() for frame in frames_of(top)]
            for value in [value for frame in frames for value in frame.f_locals.values()]:
                things = value if isinstance(value, list | tuple) else [value]
                partials = [thing for thing in things if type(thing) is functools.partial]
                found.extend(thing for thing in partials if thing.func is look)

        calls: Calls = [functools.partial(look, mark) for mark in marks]
        assert sum(type(thing) is functools.partial for thing in gc.get_objects()) >= 2
        serve_all(lambda page, held: native.serve(page, held, 0), [0, 1], calls)
        assert found == []

    @pytest.mark.parametrize("kind", ["function", "method", "partial", "builtin"])
    def test_calls_of_every_kind_are_released_in_the_end(self, native: NativeSession, kind: str) -> None:
        class Kept(list[int]):
            def call(self) -> None:
                self.append(1)

        kept = Kept()
        made: dict[str, Callable[[], object]] = {
            "function": appending(kept),
            "method": kept.call,
            "partial": functools.partial(Kept.append, kept, 1),
            "builtin": kept.clear,
        }
        calls = [made[kind]]
        made.clear()
        serve_all(lambda page, held: native.serve(page, held, 0), [0], calls)
        gone = weakref.ref(kept)
        del kept
        gc.collect()
        assert gone() is None

    def test_calls_in_cycles_are_collected_in_the_end(self, native: NativeSession) -> None:
        def made() -> tuple[Calls, "weakref.ref[object]"]:
            def call() -> object:
                return call

            return [call], weakref.ref(call)

        calls, gone = made()
        serve_all(lambda page, held: native.serve(page, held, 0), [0], calls)
        gc.collect()
        assert gone() is None

    @pytest.mark.parametrize("library", ["", "/nowhere/timed_session.so"])
    def test_a_command_must_name_the_library(self, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(LIBRARY, library or "/nowhere")
        with pytest.raises(OSError, match="nowhere"):
            NativeSession.of_environment()


def test_a_session_ends_with_its_host(serve: Serve) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with page() as descriptor:
        child = os.fork()
        if not child:
            try:
                ours.close()
                os.dup2(theirs.fileno(), CHANNEL)
                signal.alarm(int(WAIT_S))
                theirs.close()
                serve(descriptor, [lambda: None])
            finally:  # it ends without being stopped, and without an exception
                os._exit(1)
        theirs.close()
        ours.close()
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_every_set_gets_its_own_descriptors() -> None:
    request = Request(RequestKind.TIME, 1, sets=3)
    assert bind_sets(request, [1, 2, 3, 4, 5, 6], list) == [[1, 2], [3, 4], [5, 6]]
    assert bind_sets(request, [], list) == [[], [], []]


@pytest.mark.parametrize(("sets", "count"), [(3, 4), (0, 4), (0, 0)])
def test_sets_that_differ_in_size_are_refused(sets: int, count: int) -> None:
    with pytest.raises(ValueError, match="sets"):
        bind_sets(Request(RequestKind.TIME, 1, sets=sets), range(count), list)
