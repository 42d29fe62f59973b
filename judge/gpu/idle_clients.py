"""Idle clients of a GPU's MPS: runners that have opened the GPU, and referees between two judgements.

Theory of operation. Creating a CUDA context takes a tenth of a second, only one process of a host can do it
at a time, and a judgement needs two contexts. So a referee that has judged without any fault is kept for
another judgement. For each kind of runner, a thread makes one waiting runner open the GPU in advance. More
idle clients would take memory from the programs. During this, the thread holds a share of the GPU, as
background draws do, because creating a context would disturb a timed program.

An idle client has no work on the GPU. But after a fault, MPS accepts no new client until all earlier clients
have exited, idle clients included. So another thread watches the state of MPS while there are idle clients,
and ends them after a fault. Without MPS, no idle clients are kept: other judges on the host could not
distinguish an idle context from a program that disturbs their timed program.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Condition, Event, Thread

from judge.errors import JudgementCancelled
from judge.gpu.device.process import RefereeProcess
from judge.gpu.refresher import Share
from judge.runner.client import ReplyStatus, RunnerChannel
from sandbox.backend import IsolationUnavailable, Process
from sandbox.pool import NotReady, Pool

_log = logging.getLogger(__name__)

_WATCH_S = 0.25
_TICK_S = 1.0
_OPEN_S = 30.0
_AFTER_FAILURE_S = 5.0


class IdleClients:
    """Keeps idle clients of one GPU, at most `most` referees. Thread-safe. Callers must close it.

    `kinds` maps each kind of runner in the pool to a function that waits for a share of the GPU and may raise
    JudgementCancelled. One runner of each kind opens the GPU. Callers call `taken` when a runner leaves the
    pool. `healthy` returns whether MPS accepts clients.
    """

    def __init__(
        self,
        pool: Pool,
        kinds: Mapping[str, Share],
        *,
        healthy: Callable[[], bool],
        most: int,
    ) -> None:
        self._pool = pool
        self._kinds = dict(kinds)
        self._healthy = healthy
        self._most = most
        self._changed = Condition()
        self._referees: list[RefereeProcess] = []
        self._opened: set[str] = set()  # kinds with a waiting runner that has a context
        self._closed = Event()
        self._threads = [Thread(target=self._watch, name="idle-clients-watch", daemon=True)]
        self._threads += [
            Thread(target=self._open_runners, args=(kind, share), name=f"open-{kind}", daemon=True)
            for kind, share in self._kinds.items()
        ]
        for thread in self._threads:
            thread.start()

    def referee(self, cancelled: Callable[[], bool]) -> RefereeProcess | None:
        """Take a resting referee; None if there is none."""
        while True:
            with self._changed:
                if not self._referees:
                    return None
                found = self._referees.pop()
            if not found.closed:
                return found.resume(cancelled)
            found.close()

    def keep(self, referee: RefereeProcess) -> None:
        """Keep `referee`, or close it if it cannot be kept.

        It must have no fault, and its runner must have ended.
        """
        if referee.rest():
            with self._changed:
                if not self._closed.is_set() and len(self._referees) < self._most:
                    self._referees.append(referee)
                    self._changed.notify_all()
                    return
        referee.close()

    def taken(self, kind: str) -> None:
        """Record that a runner of this kind left the pool: the runner with a context, if there was one."""
        with self._changed:
            self._opened.discard(kind)
            self._changed.notify_all()

    def drop(self) -> None:
        """End all idle clients."""
        with self._changed:
            useless, self._referees = self._referees, []
            opened, self._opened = self._opened, set()
        if opened:
            self._pool.discard_prepared(*self._kinds)
        for referee in useless:
            referee.close()

    def close(self) -> None:
        """End all idle clients and the threads."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        self.drop()

    def _watch(self) -> None:
        while not self._closed.is_set():
            with self._changed:
                self._changed.wait_for(
                    lambda: self._closed.is_set() or self._referees or self._opened, _TICK_S
                )
                idle = bool(self._referees or self._opened)
            if idle and not self._healthy():
                _log.info("idle_clients_ended: MPS has to get over a fault")
                self.drop()
            self._closed.wait(_WATCH_S)

    def _open_runners(self, kind: str, share: Share) -> None:
        while not self._closed.is_set():
            with self._changed:
                self._changed.wait_for(lambda: self._closed.is_set() or kind not in self._opened, _TICK_S)
                lacking = kind not in self._opened
            if not lacking or not self._pool.await_unprepared(kind, _TICK_S):
                continue
            opened = True
            with suppress(JudgementCancelled), share(self._closed.is_set):
                opened = self._open_one(kind)
            if not opened:
                self._closed.wait(_AFTER_FAILURE_S)

    def _open_one(self, kind: str) -> bool:
        """Make a waiting runner of this kind open the GPU, if there is one. Returns False if that failed."""
        try:
            with self._pool.preparing(kind) as process:
                if process is not None:
                    self._mark(kind)  # from now on, the runner may be a client
                    self._open(process)
                    self._mark(kind)  # in the meantime, another runner of this kind may have been taken
        except (NotReady, IsolationUnavailable, OSError) as error:
            if not self._closed.is_set():
                _log.warning("runner_not_opened: %s", error)
            self.taken(kind)
            return False
        return True

    def _mark(self, kind: str) -> None:
        with self._changed:
            self._opened.add(kind)
            self._changed.notify_all()

    def _open(self, process: Process) -> None:
        with RunnerChannel(process.channel, self._closed.is_set) as runner:
            answer = runner.prepare(timeout_s=_OPEN_S)
        if answer is not ReplyStatus.DONE:
            raise NotReady(f"opening the GPU: {answer.name.lower()}")
