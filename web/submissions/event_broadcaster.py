"""Polls the database once for all clients of this process that watch a submission.

Theory of operation. If each stream polled for itself, each would cost a query every POLL_S, and a thousand
streams would overload the site. So there is one task per event loop while there are watchers. With one query
it finds the watched jobs with new events, and with a second query it reads these events. At longer intervals
it reads the places of waiting jobs. Then it passes the news to the watchers. All queries run in a separate
thread of the task, because the threads of requests end with their requests. Each query returns its
connection, because a pool may be smaller than the number of watchers. A watcher that does not take its
updates is dropped at MAX_PENDING events, and its browser reconnects. When the server stops, all watchers are
dropped, and their browsers reconnect to another server.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from functools import partial, wraps
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connections

from web.site import draining
from web.submissions import queries, queue_position
from web.submissions.models import Event
from web.submissions.queries import Following
from web.submissions.queue_position import QueuePosition

log = structlog.get_logger(__name__)

POLL_S = 0.15
POSITION_S = 1.0
TROUBLED_S = 2.0  # between queries while the database does not answer
MAX_PENDING = 500

P = ParamSpec("P")
R = TypeVar("R")


def closing(function: Callable[P, R]) -> Callable[P, R]:
    """Run `function`, then return this thread's database connections to the pool."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        finally:
            for connection in connections.all(initialized_only=True):
                if not connection.in_atomic_block:  # the connection of a caller, such as a test
                    connection.close()

    return call


@dataclass(frozen=True, slots=True)
class Update:
    """The news for a watcher: events in order, and the place in the queue if it changed.

    `over` is true if no event will come after these, if the watcher was too slow, or if the server stops.
    """

    events: tuple[Event, ...] = ()
    position: QueuePosition | None = None
    over: bool = False


class Watcher:
    """Watches one submission from the event after `after` on. See `EventBroadcaster.watching`."""

    def __init__(self, submission_id: int, after: int) -> None:
        self.submission_id = submission_id
        self.after = after
        self._events: list[Event] = []
        self._position: QueuePosition | None = None
        self._told: QueuePosition | None = None
        self._over = False
        self._bell = asyncio.Event()

    async def next_update(self, timeout_s: float) -> Update:
        """Return the next update as soon as there is one, or an empty one after `timeout_s`."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._bell.wait()
        except TimeoutError:
            return Update()
        self._bell.clear()
        events, self._events = tuple(self._events), []
        position, self._position = self._position, None
        return Update(events, position, over=self._over)

    def deliver(self, following: Following) -> None:
        """Add events."""
        fresh = [event for event in following.events if event.sequence > self.after]
        if fresh:
            self.after = fresh[-1].sequence
            self._events += fresh
            self._told = None  # clients replace the displayed place by the event
        self._over = following.over or len(self._events) > MAX_PENDING
        if fresh or self._over:
            self._bell.set()

    def deliver_position(self, position: QueuePosition) -> None:
        """Add the place in the queue, unless it is unchanged since the last event."""
        if position != self._told:
            self._told = self._position = position
            self._bell.set()

    def drop(self) -> None:
        """End the watch after the events that are there."""
        self._over = True
        self._bell.set()


@dataclass(frozen=True, slots=True)
class _Poll:
    followings: Mapping[int, Following]
    positions: Mapping[int, QueuePosition]


class EventBroadcaster:
    """Polls for all watchers of one event loop while there are any."""

    def __init__(self) -> None:
        self._watchers: dict[int, set[Watcher]] = {}
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def watching(self, submission_id: int, *, after: int) -> Iterator[Watcher]:
        """Yield a watcher, which ends with the block."""
        watcher = Watcher(submission_id, after)
        self._watchers.setdefault(submission_id, set()).add(watcher)
        if self._task is None or self._task.done():
            # Start the task outside the context of this request, because the request's thread ends with the
            # request.
            self._task = asyncio.get_running_loop().create_task(self._run(), context=Context())
        try:
            yield watcher
        finally:
            others = self._watchers[submission_id]
            others.discard(watcher)
            if not others:
                del self._watchers[submission_id]

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        position_at = loop.time()
        with ThreadPoolExecutor(1, thread_name_prefix="broadcaster") as thread:
            while self._watchers:
                if draining.stopping(settings.WARPCOURT):
                    for watcher in set[Watcher]().union(*self._watchers.values()):
                        watcher.drop()
                began = loop.time()
                due = began >= position_at
                if due:
                    position_at = began + POSITION_S
                try:
                    found = await loop.run_in_executor(thread, partial(_poll, self._seen(), positions=due))
                except DatabaseTrouble as error:
                    log.warning("event_poll_failed", error=str(error))
                    await asyncio.sleep(TROUBLED_S)
                    continue
                self._hand_out(found)
                await asyncio.sleep(max(0.01, POLL_S - (loop.time() - began)))

    def _seen(self) -> dict[int, int]:
        return {pk: min(watcher.after for watcher in found) for pk, found in self._watchers.items()}

    def _hand_out(self, poll: _Poll) -> None:
        for submission_id, following in poll.followings.items():
            for watcher in self._watchers.get(submission_id, ()):
                watcher.deliver(following)
        for submission_id, position in poll.positions.items():
            for watcher in self._watchers.get(submission_id, ()):
                watcher.deliver_position(position)


_broadcasters: WeakKeyDictionary[asyncio.AbstractEventLoop, EventBroadcaster] = WeakKeyDictionary()


def broadcaster() -> EventBroadcaster:
    """Return the broadcaster of the running event loop."""
    return _broadcasters.setdefault(asyncio.get_running_loop(), EventBroadcaster())


@closing
def _poll(seen: Mapping[int, int], *, positions: bool) -> _Poll:
    followings, queued = queries.follow_all(seen)
    return _Poll(followings, queue_position.queue_positions(queued) if positions and queued else {})
