"""The process of one rank: joins the process group, loads the program, and calls `solve` on its slices.

Theory of operation: see `ranks`. The process is a fork of the supervisor and holds a complete runner, whose
class derives from `RankRunner`. It has two sockets to the supervisor. On `requests`, it gets the requests of
the host with the slices of its rank, and answers them as a runner does. On `reports`, it sends findings, the
status with which it wants to end, and, if asked, the line that it is in. A thread answers this question,
because a rank that waits for another one is inside of PyTorch, where Python runs no signal handlers.

A rank that has failed reports that and then waits to be killed. If it ended at once, its connections would
break, and other ranks would report that instead of the cause.
"""

import functools
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from types import FrameType
from typing import NoReturn

import torch.distributed as dist

from sandbox.runner.session import OUR_FAULT, Diagnostics, Load, flush, line_of
from sandbox.runner.triton_submission import FILE, TritonRunner
from sandbox.wire import ExitStatus, Request, RequestKind, WireArgument, receive_request, send_reply

HOST = "127.0.0.1"
WHERE = b"?"
# Longer than the limit of any case: the supervisor ends ranks that wait too long, and knows why they wait.
_PATIENCE = timedelta(hours=1)
_PEERS = ("dst", "src", "group_dst", "group_src")


@dataclass(frozen=True, slots=True)
class Rank:
    """The number of a rank among `count`, its two sockets, and the port of the store where ranks meet.

    `store` is the listening socket of that store, which rank 0 serves.
    """

    number: int
    count: int
    requests: socket.socket
    reports: socket.socket
    store: socket.socket

    def report(self, **words: object) -> None:
        """Send a report to the supervisor."""
        self.reports.send(json.dumps(words).encode())

    def join(self, backend: str) -> None:
        """Create the default process group. Raises RuntimeError if the ranks do not meet."""
        # PyTorch's list of exports lacks TCPStore. mypy reports that if it checks few files.
        store = dist.TCPStore(  # type: ignore[attr-defined, unused-ignore]
            HOST,
            self.store.getsockname()[1],
            self.count,
            is_master=self.number == 0,
            master_listen_fd=self.store.detach() if self.number == 0 else None,
            timeout=timedelta(seconds=20),
            wait_for_workers=False,
        )
        dist.init_process_group(
            backend, store=store, rank=self.number, world_size=self.count, timeout=_PATIENCE
        )
        _refuse_unknown_peers(self.count)


class RankRunner(TritonRunner):
    """The runner of one rank. Derived classes add it in front of a runner for interpreter or GPU."""

    rank: Rank

    def become(self, rank: Rank) -> None:
        """Be this rank from now on."""
        self.rank = rank

    def join(self) -> None:
        """Create the process group."""
        raise NotImplementedError

    @contextmanager
    def time_limit(self, limit_ms: int, on_limit: Callable[[FrameType | None], None]) -> Iterator[None]:
        """Leave the limit to the supervisor, which knows what the other ranks do."""
        del limit_ms, on_limit
        yield

    def leave(self, status: ExitStatus) -> NoReturn:
        """Report the status, and wait for the end."""
        flush()
        self.rank.report(leave=int(status))
        while True:
            signal.pause()


def serve_rank(runner: RankRunner, rank: Rank, load: Load) -> NoReturn:
    """Be a rank until the supervisor closes `rank.requests`."""
    runner.become(rank)
    diagnostics = _Reported(rank)
    try:
        runner.prepare()
        runner.join()
    except Exception as error:  # noqa: BLE001 - whatever the driver, NCCL or gloo raise
        sys.stderr.write(f"rank {rank.number}: {type(error).__name__}: {error}\n")
        flush()
        os._exit(OUR_FAULT)
    threading.Thread(target=_answer, args=(rank, threading.get_ident()), daemon=True).start()
    runner.load(replace(load, diagnostics=diagnostics))
    flush()
    send_reply(rank.requests, 0)
    while (received := receive_request(rank.requests)) is not None:
        request, descriptors = received
        if request.kind is RequestKind.QUIT:
            runner.quit()
            break
        runner.run(request, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        flush()
        send_reply(rank.requests, request.sequence)
    dist.destroy_process_group()
    flush()
    os._exit(0)


def _refuse_unknown_peers(count: int) -> None:
    """Raise an error for messages to a rank that does not exist, because gloo would crash."""
    for name in ("send", "isend", "recv", "irecv"):
        setattr(dist, name, _checked(getattr(dist, name), count))
        setattr(dist.distributed_c10d, name, getattr(dist, name))


def _checked(function: Callable[..., object], count: int) -> Callable[..., object]:
    @functools.wraps(function)
    def checked(*given: object, **named: object) -> object:
        for peer in (*given[1:2], *(named.get(key) for key in _PEERS)):
            if isinstance(peer, int) and not 0 <= peer < count:
                raise ValueError(f"there is no rank {peer}: the ranks are 0 to {count - 1}")
        return function(*given, **named)

    return checked


def slice_of(request: Request, number: int, count: int) -> Request:
    """Return the request of one rank: of each array, the slice `number` of its first dimension.

    Raises ValueError if an array has another length than `count` there.
    """
    return replace(request, arguments=tuple(_slice(one, number, count) for one in request.arguments))


def _slice(argument: WireArgument, number: int, count: int) -> WireArgument:
    if argument.scalar:
        return argument
    if not argument.shape or argument.shape[0] != count:
        raise ValueError(f"an array of shape {argument.shape} for {count} ranks")
    size = argument.bytes // count
    return replace(argument, offset=argument.offset + number * size, bytes=size, shape=argument.shape[1:])


class _Reported(Diagnostics):
    """Findings that go to the supervisor."""

    def __init__(self, rank: Rank) -> None:
        super().__init__(-1)
        self._rank = rank

    def write(self, finding: Mapping[str, object]) -> None:
        """Send a finding."""
        self._rank.report(finding=finding)


def _answer(rank: Rank, main: int) -> None:
    """Tell the line that the thread `main` is in, each time that the supervisor asks."""
    while rank.reports.recv(1):
        frame = sys._current_frames().get(main)  # noqa: SLF001 - documented, despite its name
        rank.report(line=line_of(frame, FILE))
    os._exit(OUR_FAULT)  # the supervisor is dead
