"""A pool of warm sandboxes, so that no job waits for imports. Each is used once and then destroyed.

Theory of operation. A few threads keep ready sandboxes of each kind. A sandbox reports "ready" before it gets
any foreign code. `take` returns a ready sandbox. If there is none, `take` waits for a sandbox that is already
starting, unless another caller waits for it; otherwise it starts one. The pool keeps `size` sandboxes of a
kind, plus as many as were taken during the time that a start needs; hosts with few cores add few. A waiting
sandbox is replaced if it has died or is older than `max_age_s`. While a caller holds the pool, such as a
judgement that times a program, the pool delays refilling a kind that has a sandbox left, for at most
`_HELD_S`, because starting containers and imports slow down the whole host.

Other code may prepare waiting sandboxes further (`preparing`), for example by opening a GPU. `take` prefers
prepared sandboxes.

Limits count from `take`. A waiting sandbox only has its age limit and a fixed CPU time limit for its imports.
`take` calls `Process.begin` with the caller's limits. `begin` cannot change the limits on tasks, files and
descriptors, which the command sets.
"""

import logging
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sandbox.backend import Backend, IsolationUnavailable, Process
from sandbox.spec import Command, Limits
from sandbox.wire import REPLY_BYTES, unpack_reply

_log = logging.getLogger(__name__)

_READY_S = 60.0
_IMPORT_CPU_S = 60.0
_TICK_S = 1.0
_LONGEST_BACKOFF_S = 60.0
_HELD_S = 5.0
_LONGEST_PERIOD_S = 10.0  # window in which requests are counted
_MOST_EXTRA = 2  # times the size of a kind that many requests can add
_MOST_STARTERS = 4
_CORES_PER_STARTER = 4  # so that starts leave most of the host to running jobs


class NotReady(Exception):
    """Raised when a fresh sandbox ends, or says something else, before it is ready."""


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """A kind of warm sandbox: a command with a channel, and the number to keep."""

    command: Command
    size: int


@dataclass(frozen=True, slots=True)
class _Waiting:
    process: Process
    since_s: float
    prepared: bool = False


@dataclass(slots=True)
class _Kind:
    """The sandboxes of one kind, and the demand for them."""

    spec: PoolSpec
    waiting: list[_Waiting] = field(default_factory=list)
    coming: int = 0  # sandboxes that are being started or prepared
    awaited: int = 0  # callers that wait for a starting sandbox
    generation: int = 0  # how often `discard` was called
    prepared_generation: int = 0  # how often `discard_prepared` was called
    taken_s: deque[float] = field(default_factory=deque)
    start_s: float = 0.0  # time of the last start

    @property
    def unprepared(self) -> _Waiting | None:
        """A waiting sandbox that is not prepared, or None."""
        return next((entry for entry in self.waiting if not entry.prepared), None)

    @property
    def wanted(self) -> int:
        """The number of sandboxes that should wait: the size, and those that are taken while one starts."""
        period_s = min(self.start_s, _LONGEST_PERIOD_S)
        while self.taken_s and self.taken_s[0] < time.monotonic() - period_s:
            self.taken_s.popleft()
        return self.spec.size + min(len(self.taken_s), _MOST_EXTRA * self.spec.size, _starters())

    def pop(self) -> _Waiting | None:
        """Remove and return a sandbox, a prepared one if there is one."""
        at = next((at for at, entry in enumerate(self.waiting) if entry.prepared), 0)
        return self.waiting.pop(at) if self.waiting else None


class Pool:
    """Warm sandboxes by name. Safe to share between threads. Close it at the end."""

    def __init__(
        self, backend: Backend, recipes: Mapping[str, PoolSpec], *, max_age_s: float = 1800.0
    ) -> None:
        self._backend = backend
        self._kinds = {name: _Kind(recipe) for name, recipe in recipes.items()}
        self._max_age_s = max_age_s
        self._changed = threading.Condition()
        self._closed = False
        self._coming_up: set[Process] = set()  # sandboxes that the threads are starting
        self._held_since_s: list[float] = []  # one for each that holds it
        self._resting_until_s = 0.0  # after a start that failed
        self._backoff_s = _TICK_S
        self._hits: Counter[str] = Counter()
        self._misses: Counter[str] = Counter()
        self._starters = ThreadPoolExecutor(_starters(), thread_name_prefix="sandbox-starter")
        self._thread = threading.Thread(target=self._refill, name="sandbox-pool", daemon=True)
        if any(recipe.size > 0 for recipe in recipes.values()):
            self._thread.start()

    @property
    def hits(self) -> Mapping[str, int]:
        """The number of requests served by a warm sandbox, by name."""
        return dict(self._hits)

    @property
    def misses(self) -> Mapping[str, int]:
        """The number of requests that found no warm sandbox, by name."""
        return dict(self._misses)

    def waiting(self, name: str) -> int:
        """Return the number of sandboxes of that name that are ready."""
        with self._changed:
            return len(self._kinds[name].waiting)

    def take(self, name: str, limits: Limits) -> Process:
        """Return a ready sandbox. The caller must close it. `limits` count from now.

        Raises:
            NotReady: it ended before it was ready. The message has its output.
            IsolationUnavailable: it could not be started.
        """
        with self._changed:
            self._kinds[name].taken_s.append(time.monotonic())
        while (warm := self._pop(name)) is not None:
            if _alive(warm.process):
                self._hits[name] += 1
                warm.process.begin(limits)
                return warm.process
            warm.process.close()
        self._misses[name] += 1
        process = self._await(name) or self._start(name)
        process.begin(limits)
        return process

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within this context, start only kinds that have no sandbox, for a few seconds at most."""
        since_s = time.monotonic()
        with self._changed:
            self._held_since_s.append(since_s)
        try:
            yield
        finally:
            with self._changed:
                self._held_since_s.remove(since_s)
                self._changed.notify_all()

    @contextmanager
    def preparing(self, name: str) -> Iterator[Process | None]:
        """Yield a waiting sandbox of this kind that is not prepared, and put it back as prepared.

        Yields None if there is none. If the context raises, or if `discard` or `discard_prepared` is called
        in the meantime, the sandbox is closed and replaced.
        """
        kind = self._kinds[name]
        with self._changed:
            entry = kind.unprepared
            if entry is not None:
                kind.waiting.remove(entry)
                kind.coming += 1
            generations = kind.generation, kind.prepared_generation
        if entry is None:
            yield None
            return
        prepared = False
        try:
            yield entry.process
            prepared = True
        finally:
            with self._changed:
                kind.coming -= 1
                valid = generations == (kind.generation, kind.prepared_generation)
                prepared = prepared and valid and not self._closed
                if prepared:
                    kind.waiting.append(replace(entry, prepared=True))
                self._changed.notify_all()
            if not prepared:
                entry.process.close()

    def await_unprepared(self, name: str, timeout_s: float) -> bool:
        """Wait until `preparing` would find a sandbox of this kind.

        Returns False if none is available within `timeout_s`.
        """
        kind = self._kinds[name]
        with self._changed:
            return bool(
                self._changed.wait_for(lambda: self._closed or kind.unprepared, timeout_s)
                and not self._closed
            )

    def discard(self, *names: str) -> None:
        """End the waiting and starting sandboxes of these kinds. The pool replaces them."""
        useless = []
        with self._changed:
            for kind in (self._kinds[name] for name in names):
                kind.generation += 1
                useless += kind.waiting
                kind.waiting = []
            self._changed.notify_all()
        _end(useless)

    def discard_prepared(self, *names: str) -> None:
        """End the prepared sandboxes of these kinds, and those that are being prepared.

        The pool replaces them.
        """
        useless = []
        with self._changed:
            for kind in (self._kinds[name] for name in names):
                kind.prepared_generation += 1
                useless += [warm for warm in kind.waiting if warm.prepared]
                kind.waiting = [warm for warm in kind.waiting if not warm.prepared]
            self._changed.notify_all()
        _end(useless)

    def close(self) -> None:
        """End the threads and all waiting sandboxes, including those that are still starting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            for process in self._coming_up:
                process.kill()
        if self._thread.ident is not None:
            self._thread.join()
        self._starters.shutdown()
        for name in self._kinds:
            while (warm := self._pop(name)) is not None:
                warm.process.close()

    def _pop(self, name: str) -> _Waiting | None:
        with self._changed:
            self._changed.notify_all()
            return self._kinds[name].pop()

    def _await(self, name: str) -> Process | None:
        """Wait for a starting sandbox. Returns None if there is none without a waiting caller."""
        with self._changed:
            kind = self._kinds[name]
            if kind.coming <= kind.awaited:
                return None
            kind.awaited += 1
            self._changed.wait_for(lambda: kind.waiting or kind.coming < kind.awaited)
            kind.awaited -= 1
            warm = kind.pop()
            return warm.process if warm else None

    def _refill(self) -> None:
        while True:
            self._discard_stale()
            with self._changed:
                name = self._wanted()
                if name is None and not self._closed:
                    self._changed.wait(_TICK_S)
                if self._closed:
                    return
                if name is None:
                    continue
                self._kinds[name].coming += 1
            self._starters.submit(self._add, name)

    def _wanted(self) -> str | None:
        """The kind that lacks most, of those that need not wait."""
        now_s = time.monotonic()
        if now_s < self._resting_until_s:
            return None
        held = any(since_s > now_s - _HELD_S for since_s in self._held_since_s)
        lacking = {
            name: kind.wanted - len(kind.waiting) - kind.coming
            for name, kind in self._kinds.items()
            if not (held and (kind.waiting or kind.coming))
        }
        name = max(lacking, key=lambda key: lacking[key], default=None)
        return name if name is not None and lacking[name] > 0 else None

    def _add(self, name: str) -> None:
        """Start a sandbox of this kind and add it to the pool."""
        kind, process = self._kinds[name], None
        generation = kind.generation
        began_s = time.monotonic()
        announced: list[Process] = []

        def announce(fresh: Process) -> None:
            announced.append(fresh)
            self._announce(fresh)

        try:
            process = self._start(name, announce=announce)
        except (NotReady, IsolationUnavailable, OSError) as error:
            if not self._closed:
                _log.warning("sandbox_pool_refill_failed: %s: %s", name, error)
        finally:
            with self._changed:
                kind.coming -= 1
                self._coming_up.difference_update(announced)
                self._note_start(kind, began_s, failed=process is None)
                if process is not None and not self._closed and kind.generation == generation:
                    kind.waiting.append(_Waiting(process, time.monotonic()))
                    process = None
                self._changed.notify_all()
            if process is not None:
                process.close()

    def _note_start(self, kind: _Kind, began_s: float, *, failed: bool) -> None:
        now_s = time.monotonic()
        if failed:
            self._resting_until_s = now_s + self._backoff_s
            self._backoff_s = min(2 * self._backoff_s, _LONGEST_BACKOFF_S)
        else:
            kind.start_s = now_s - began_s
            self._backoff_s = _TICK_S

    def _discard_stale(self) -> None:
        stale = []
        with self._changed:
            for kind in self._kinds.values():
                for entry in list(kind.waiting):
                    if time.monotonic() - entry.since_s > self._max_age_s or not _alive(entry.process):
                        kind.waiting.remove(entry)
                        stale.append(entry)
        for entry in stale:
            entry.process.close()

    def _announce(self, process: Process) -> None:
        with self._changed:
            self._coming_up.add(process)
            if self._closed:
                process.kill()

    def _start(self, name: str, announce: Callable[[Process], None] = lambda _: None) -> Process:
        """Start a sandbox and wait until it is ready. `announce` is called with it at once."""
        command = self._kinds[name].spec.command
        patience = replace(
            command.limits, wall_s=self._max_age_s + 2 * _READY_S, cpu_s=command.limits.cpu_s + _IMPORT_CPU_S
        )
        process = self._backend.start(replace(command, limits=patience))
        announce(process)
        try:
            await_ready(process)
        except BaseException:
            process.close()
            raise
        return process


def await_ready(process: Process) -> None:
    """Wait until a new sandbox has reported ready. Raises NotReady."""
    channel = process.channel
    channel.settimeout(_READY_S)
    try:
        said = channel.recv(REPLY_BYTES + 1)
    except TimeoutError as error:
        raise NotReady(f"not ready after {_READY_S:g} s; is the machine overloaded?") from error
    except OSError as error:
        raise NotReady(f"it closed its channel: {error}") from error
    channel.settimeout(None)
    if unpack_reply(said) != 0:
        process.kill()
        end = process.wait(_READY_S)
        raise NotReady(
            f"it ended before it was ready ({end.ending}, status {end.status}): "
            + end.stderr.decode(errors="replace")[-2000:]
        )


def _starters() -> int:
    """The number of sandboxes to start at a time on this host."""
    return max(1, min(_MOST_STARTERS, len(os.sched_getaffinity(0)) // _CORES_PER_STARTER))


def _alive(process: Process) -> bool:
    try:
        process.wait(0)
    except TimeoutError:
        return True
    except IsolationUnavailable:
        return False
    return False


def _end(useless: Sequence[_Waiting]) -> None:
    """Kill all of these sandboxes, and then wait for each to end."""
    for warm in useless:
        warm.process.kill()
    for warm in useless:
        warm.process.close()
