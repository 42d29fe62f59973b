"""Supervises the processes of a program with ranks.

Theory of operation. A program with ranks is an SPMD program: each rank is a process that calls `solve` on its
slice of every array, and the ranks communicate by `torch.distributed`. The process that serves the host is
the supervisor. It imports what the ranks need, but starts no thread and opens no GPU, because it forks the
ranks at LOAD:

    host -- supervisor -- rank 0
                 |------- rank 1 ...

The ranks load the program; the supervisor runs no foreign code. It passes each request to all ranks
(`rank.slice_of`) and answers the host when all of them have answered. It forwards findings, with the number
of the rank, and at most one error, which is the first: others are usually its consequences. Of what the ranks
counted for requirements, it forwards the largest amount of each counter.

The first rank that fails or ends early ends all of them, and the supervisor ends as that rank did. At the
time limit, the supervisor asks each rank for its line, reports which ranks wait where, and ends all of them.
The kernel ends what they may have left behind: the supervisor is the program of the sandbox, and its end is
the end of the sandbox.

The ranks can tell the supervisor anything, and it believes them. This gains them nothing: it only repeats
what a single hostile runner could tell the host itself.
"""

import contextlib
import json
import os
import re
import select
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

from sandbox.runner.rank import HOST, WHERE, Rank, slice_of
from sandbox.runner.session import CHANNEL, OUR_FAULT, Load, Runner, flush
from sandbox.wire import (
    REPLY_BYTES,
    ExitStatus,
    Request,
    RequestKind,
    RunFlag,
    send_request,
    unpack_reply,
)

_REPORT_BYTES = 1 << 17
_LOAD_S = 25.0  # less than the host waits
_ANSWER_S = 0.3  # for the ranks to tell their lines
_CAUSE_S = 0.2  # for the end of a rank to be noticed
_QUIT_S = 1.5
_LINE_CHARACTERS = 80
_ADVICE = (
    "If ranks wait for each other, give each send a matching receive, and call the same collectives in the "
    "same order in all ranks."
)
_SUMS = "sums"  # the kind of the record of `python_counts`
_AMOUNT = re.compile(r"(\w{1,60})=(\d{1,18})(@\d{1,6})?(?!\S)", re.ASCII)
_SAME_IN_ALL = {"load", "syntax"}  # kinds of findings that do not depend on the rank


@dataclass(slots=True)
class _Child:
    """A rank as the supervisor sees it."""

    number: int
    pid: int
    end: int  # a descriptor that becomes readable when the process ends
    requests: socket.socket
    reports: socket.socket
    answered: bool = False
    told: bool = False  # its line
    line: int | None = None
    status: int | None = None  # the wait status, or the status with which it wants to end
    closed: set[socket.socket] = field(default_factory=set)

    def collect(self) -> None:
        """Take the status of the process, which has ended."""
        if self.status is None:
            self.status = os.waitpid(self.pid, 0)[1]


class RanksRunner(Runner):
    """The supervisor. `start` is called in the process of each rank and does not return."""

    def __init__(self, start: Callable[[Rank, Load], NoReturn]) -> None:
        self._start = start
        self._children: Sequence[_Child] = ()
        self._load: Load | None = None
        self._error: tuple[_Child, Mapping[str, Any]] | None = None  # the first
        self._amounts: dict[str, tuple[int, str]] = {}  # by counter: the largest of a rank, and its text

    def load(self, load: Load) -> None:
        """Start the ranks, which load the program."""
        self._load = load
        self._children = self._fork(load, cast("int", load.manifest["ranks"]))
        if not self._wait(0, time.monotonic() + _LOAD_S):
            load.diagnostics.say(
                "error",
                "load",
                f"The program took longer than {_LOAD_S:g} s to load. Move work from the top level of the "
                "module to solve.",
            )
            self._end(ExitStatus.LOAD_ERROR)

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Have all ranks call `solve` once."""
        deadline = time.monotonic() + request.time_limit_ms / 1000 if request.time_limit_ms else None
        self._send(request, descriptors)
        if not self._wait(request.sequence, deadline):
            self._say_late(request.time_limit_ms)
            self._end(ExitStatus.TIME_LIMIT)
        if request.flags & RunFlag.SUMS:
            self._say_amounts()

    def quit(self) -> None:
        """End the ranks."""
        self._send(Request(RequestKind.QUIT, 0))
        deadline = time.monotonic() + _QUIT_S
        waiting = [child.pid for child in self._children]
        while waiting and time.monotonic() < deadline:
            waiting = [pid for pid in waiting if os.waitpid(pid, os.WNOHANG) == (0, 0)]
            time.sleep(0.005)
        for pid in waiting:
            os.kill(pid, signal.SIGKILL)

    def _fork(self, load: Load, count: int) -> list[_Child]:
        store = socket.create_server((HOST, 0))
        children: list[_Child] = []
        for number in range(count):
            (requests, its_requests), (reports, its_reports) = _pair(), _pair()
            pid = os.fork()
            if pid == 0:
                os.close(CHANNEL)
                for end in (
                    requests,
                    reports,
                    *(end for one in children for end in (one.requests, one.reports)),
                ):
                    end.close()
                self._start(Rank(number, count, its_requests, its_reports, store), load)
            its_requests.close()
            its_reports.close()
            children.append(_Child(number, pid, os.pidfd_open(pid), requests, reports))
        store.close()
        return children

    def _send(self, request: Request, descriptors: Sequence[int] = ()) -> None:
        for child in self._children:
            child.answered = False
            with contextlib.suppress(OSError):  # its end is noticed below
                send_request(
                    child.requests, slice_of(request, child.number, len(self._children)), descriptors
                )

    def _wait(self, sequence: int, deadline: float | None) -> bool:
        """Wait until all ranks have answered, and return True, or False at the deadline."""
        while not all(child.answered for child in self._children):
            left_s = None if deadline is None else deadline - time.monotonic()
            if left_s is not None and left_s <= 0:
                return False
            self._listen(left_s, sequence)
        return True

    def _listen(self, patience_s: float | None, sequence: int | None = None) -> None:
        """Handle what arrives within `patience_s`. Does not return if a rank has ended."""
        living = [child for child in self._children if child.status is None]
        waiting = [child for child in living if sequence is not None and not child.answered]
        heard: list[socket.socket | int] = [child.end for child in living]
        heard += [child.reports for child in living if child.reports not in child.closed]
        heard += [child.requests for child in waiting if child.requests not in child.closed]
        readable, _, _ = select.select(heard, (), (), patience_s)
        for child in living:  # reports first, because they explain an end
            if child.reports in readable:
                self._hear(child)
        for child in waiting:
            if child.requests in readable:
                self._read_answer(child, sequence)
        for child in living:
            if child.end in readable:
                while child.status is None and child.reports not in child.closed:
                    self._hear(child)  # what it said before it ended
                child.collect()
        if any(child.status is not None for child in self._children):
            self._end_as_the_first()

    def _hear(self, child: _Child) -> None:
        """Handle one report of a rank, if there is one."""
        try:
            said = child.reports.recv(_REPORT_BYTES, socket.MSG_DONTWAIT)
        except OSError:
            said = b""
        if not said:
            child.closed.add(child.reports)  # its end follows, unless the program has closed the socket
            return
        match json.loads(said):
            case {"finding": {"severity": "error"} as finding}:
                self._error = self._error or (child, finding)
            case {"finding": finding}:
                self._forward(child, finding)
            case {"leave": status}:
                child.status = int(status) << 8
            case {"line": line}:
                child.line, child.told = line, True

    def _read_answer(self, child: _Child, sequence: int | None) -> None:
        try:
            data = child.requests.recv(REPLY_BYTES + 1)
        except OSError:
            data = b""
        child.answered = unpack_reply(data) == sequence
        if not child.answered:
            child.closed.add(child.requests)  # its end follows, or the time limit

    def _forward(self, child: _Child, finding: Mapping[str, Any]) -> None:
        if finding["kind"] == _SUMS:
            for name, amount, line in _AMOUNT.findall(finding["message"]):
                self._amounts[name] = max(self._amounts.get(name, (-1, "")), (int(amount), line))
            return
        if finding["kind"] not in _SAME_IN_ALL:
            finding = {**finding, "message": f"Rank {child.number}: {finding['message']}"}
        self._said().diagnostics.write(finding)

    def _say_amounts(self) -> None:
        """Report what the ranks counted in a call, after all of them have answered."""
        for child in self._children:
            while child.reports not in child.closed and select.select([child.reports], (), (), 0)[0]:
                self._hear(child)
        counts = [f"{name}={amount}{line}" for name, (amount, line) in self._amounts.items()]
        self._amounts.clear()
        self._said().diagnostics.say("note", _SUMS, " ".join(["python", *counts]))

    def _say_late(self, limit_ms: int) -> None:
        """Report where the ranks are at the time limit."""
        for child in self._children:
            with contextlib.suppress(OSError):
                child.reports.send(WHERE)
        deadline = time.monotonic() + _ANSWER_S
        while not all(child.told for child in self._children) and time.monotonic() < deadline:
            self._listen(max(0.0, deadline - time.monotonic()))
        waiting = [child for child in self._children if not child.answered]
        texts = [self._place(child) for child in self._children]
        line = next((child.line for child in waiting if child.line), None)
        limit = f"The limit of {limit_ms / 1000:g} s for one case was reached."
        self._said().diagnostics.say("error", "time_limit", " ".join([limit, *texts, _ADVICE]), line=line)

    def _place(self, child: _Child) -> str:
        name = f"Rank {child.number}"
        if child.answered:
            return f"{name} has returned from solve."
        if not child.told:
            return f"{name} cannot report its line: native code holds Python's interpreter lock."
        if child.line is None:
            return f"{name} is not running a line of the program."
        text = "".join(self._said().source.splitlines()[child.line - 1 : child.line]).strip()
        return (
            f"{name} is in line {child.line}: {text[:_LINE_CHARACTERS]}."
            if text
            else f"{name} is in line {child.line}."
        )

    def _end_as_the_first(self) -> NoReturn:
        """End as the rank did that failed first.

        A rank that ended without a report breaks its connections a moment before its end can be noticed, so
        another rank may have reported that in the meantime.
        """
        silent = [child.end for child in self._children if self._error is None or child is not self._error[0]]
        ended, _, _ = select.select(silent, (), (), 0 if self._error is None else _CAUSE_S)
        for child in self._children:
            if child.end in ended:
                child.collect()
                if not self._has_said_why(child):
                    self._error = None
                    self._end_as(child)
        if self._error is not None and self._error[0].status is not None:
            self._end_as(self._error[0])
        self._end_as(next(child for child in self._children if child.status is not None))

    def _has_said_why(self, child: _Child) -> bool:
        """Return whether this rank ended with a status of runners, which report errors before they end."""
        code = os.waitstatus_to_exitcode(child.status or 0)
        return code == OUR_FAULT or code in [*ExitStatus]

    def _end_as(self, child: _Child) -> NoReturn:
        """End as this rank did."""
        self._kill()
        if self._error is not None:
            self._forward(*self._error)
        status = child.status or 0
        if os.WIFSIGNALED(status):
            self._end_by(child, os.WTERMSIG(status))
        code = os.waitstatus_to_exitcode(status)
        if code == OUR_FAULT or code in [*ExitStatus]:
            self._end(code)
        if self._error is None:
            text = f"Rank {child.number} exited with status {code} before solve returned."
            self._said().diagnostics.say("error", "rank", text)
        self._end(ExitStatus.RUNTIME_ERROR)

    def _end_by(self, child: _Child, number: int) -> NoReturn:
        """End by the signal that ended a rank. The host explains SIGKILL, which may be the memory limit."""
        if number != signal.SIGKILL:
            if self._error is None:
                name = signal.Signals(number).name if number in [*signal.Signals] else f"signal {number}"
                self._said().diagnostics.say("error", "rank", f"Rank {child.number} was killed by {name}.")
            signal.signal(number, signal.SIG_DFL)
        flush()
        os.kill(os.getpid(), number)
        while True:
            signal.pause()

    def _said(self) -> Load:
        if self._load is None:
            raise ValueError("nothing is loaded")
        return self._load

    def _kill(self) -> None:
        for child in self._children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)

    def _end(self, status: int) -> NoReturn:
        self._kill()
        flush()
        os._exit(status)


def _pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
