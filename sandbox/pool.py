"""A pool of warm sandboxes, so that no job waits for imports. Each is used once and then destroyed.

Theory of operation. One thread keeps `size` sandboxes of each kind that have said "ready", which they do
before they see any foreign code. `take` hands one out. If none is left, it waits for a sandbox that is
already starting, unless another caller does; otherwise it starts one. A waiting sandbox is replaced when it
has died or is older than `max_age_s`. While a caller holds the pool, such as a judgement that times a
program, the refill of a kind with one sandbox left is delayed, at most for `_HELD_S`: starting containers and
imports slow the whole host down.

Limits count from hand-out: while it waits, a sandbox lives under its age limit and a fixed allowance of
CPU time for its imports, and `take` calls `Process.begin` with what the caller allows. `begin` cannot change
task, file and descriptor limits, which the recipe's command sets.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sandbox.backend import Backend, IsolationUnavailable, Process
from sandbox.spec import Command, Limits
from sandbox.wire import REPLY_BYTES, unpack_reply

_log = logging.getLogger(__name__)

_READY_S = 60.0
_IMPORT_CPU_S = 60.0
_TICK_S = 1.0
_LONGEST_BACKOFF_S = 60.0
_HELD_S = 5.0


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


class Pool:
    """Warm sandboxes by name. Safe to share between threads. Close it at the end."""

    def __init__(
        self, backend: Backend, recipes: Mapping[str, PoolSpec], *, max_age_s: float = 1800.0
    ) -> None:
        self._backend = backend
        self._recipes = dict(recipes)
        self._max_age_s = max_age_s
        self._waiting: dict[str, list[_Waiting]] = {name: [] for name in recipes}
        self._changed = threading.Condition()
        self._closed = False
        self._coming_up: Process | None = None  # what the thread is starting
        self._coming_kind: str | None = None
        self._awaited = False  # whether a caller waits for it
        self._held_since_s: list[float] = []  # one for each that holds it
        self._hits: Counter[str] = Counter()
        self._misses: Counter[str] = Counter()
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
            return len(self._waiting[name])

    def take(self, name: str, limits: Limits) -> Process:
        """A sandbox that is ready; it is the caller's to close. `limits` count from now.

        Raises:
            NotReady: it ended before it was ready, with what it printed.
            IsolationUnavailable: it could not be started.
        """
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
        """Start nothing ahead within this context, but what there is none of, for a few seconds at most."""
        since_s = time.monotonic()
        with self._changed:
            self._held_since_s.append(since_s)
        try:
            yield
        finally:
            with self._changed:
                self._held_since_s.remove(since_s)
                self._changed.notify_all()

    def discard(self, *names: str) -> None:
        """End the waiting sandboxes of these kinds, which have become useless. Others take their places."""
        with self._changed:
            useless = [warm for name in names for warm in self._waiting[name]]
            for name in names:
                self._waiting[name].clear()
            self._changed.notify_all()
        for warm in useless:
            warm.process.close()

    def close(self) -> None:
        """End the thread and every waiting sandbox, also one that is still coming up."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            if self._coming_up is not None:
                self._coming_up.kill()
        if self._thread.ident is not None:
            self._thread.join()
        for name in self._recipes:
            while (warm := self._pop(name)) is not None:
                warm.process.close()

    def _pop(self, name: str) -> _Waiting | None:
        with self._changed:
            self._changed.notify_all()
            return self._waiting[name].pop(0) if self._waiting[name] else None

    def _await(self, name: str) -> Process | None:
        """Wait for the sandbox that the thread is starting; None if it is of another kind or taken."""
        with self._changed:
            if self._coming_kind != name or self._awaited:
                return None
            self._awaited = True
            self._changed.wait_for(lambda: self._coming_kind != name)
            self._awaited = False
            return self._waiting[name].pop(0).process if self._waiting[name] else None

    def _refill(self) -> None:
        backoff_s = _TICK_S
        while True:
            self._discard_stale()
            with self._changed:
                name = self._wanted()
                if name is None and not self._closed:
                    self._changed.wait(_TICK_S)
                if self._closed:
                    return
                self._coming_kind = name
            if name is None:
                continue
            try:
                self._add(name)
                backoff_s = _TICK_S
            except (NotReady, IsolationUnavailable, OSError) as error:
                if not self._closed:
                    _log.warning("sandbox_pool_refill_failed: %s: %s", name, error)
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, backoff_s)
                backoff_s = min(2 * backoff_s, _LONGEST_BACKOFF_S)

    def _wanted(self) -> str | None:
        """The kind that lacks most, of those that need not wait."""
        held = any(since_s > time.monotonic() - _HELD_S for since_s in self._held_since_s)
        lacking = {
            name: recipe.size - len(self._waiting[name])
            for name, recipe in self._recipes.items()
            if not (held and self._waiting[name])
        }
        name = max(lacking, key=lambda key: lacking[key], default=None)
        return name if name is not None and lacking[name] > 0 else None

    def _add(self, name: str) -> None:
        process = None
        try:
            process = self._start(name, announce=self._announce)
        finally:
            with self._changed:
                self._coming_up = self._coming_kind = None
                if process is not None and not self._closed:
                    self._waiting[name].append(_Waiting(process, time.monotonic()))
                    process = None
                self._changed.notify_all()
        if process is not None:
            process.close()

    def _discard_stale(self) -> None:
        with self._changed:
            stale = []
            for waiting in self._waiting.values():
                for entry in list(waiting):
                    if time.monotonic() - entry.since_s > self._max_age_s or not _alive(entry.process):
                        waiting.remove(entry)
                        stale.append(entry)
        for entry in stale:
            entry.process.close()

    def _announce(self, process: Process) -> None:
        with self._changed:
            self._coming_up = process
            if self._closed:
                process.kill()

    def _start(self, name: str, announce: Callable[[Process], None] = lambda _: None) -> Process:
        """Start one and wait until it is ready. `announce` learns of it at once."""
        command = self._recipes[name].command
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
    """Wait until a fresh sandbox has said ready. Raises NotReady."""
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


def _alive(process: Process) -> bool:
    try:
        process.wait(0)
    except TimeoutError:
        return True
    except IsolationUnavailable:
        return False
    return False
