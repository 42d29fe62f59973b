"""Following a submission by server-sent events."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import cast

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import OperationalError
from django.test import AsyncClient

from judge.report import Report
from problems.vocabulary import Verdict
from web.fleet.models import Node
from web.site import draining
from web.submissions import event_broadcaster, queries, services, streams
from web.submissions.models import Event, EventKind

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_stream_is_left_open():
    yield
    assert not streams._open_streams


def follow(user, submission, *, last_event_id: str | None = None, meanwhile=None) -> list[str]:
    """The chunks of the whole stream. `meanwhile(n)` runs in a thread after chunk number n."""

    async def read() -> list[str]:
        client = AsyncClient()
        await client.aforce_login(user)
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        answer = await client.get(f"/submissions/{submission.public_id}/events", headers=headers)
        assert answer.status_code == 200, answer.status_code
        assert answer["Content-Type"] == "text/event-stream"
        assert "no-cache" in answer["Cache-Control"]
        chunks = []
        async for chunk in content_of(answer):
            chunks.append(chunk.decode())
            if meanwhile:
                await sync_to_async(meanwhile)(len(chunks))
        return chunks

    return async_to_sync(read)()


def content_of(answer) -> AsyncIterator[bytes]:
    return answer.streaming_content.__aiter__()


def ids_of(chunks: list[str]) -> list[int]:
    return [int(chunk.split("\n")[0].removeprefix("id: ")) for chunk in chunks if chunk.startswith("id: ")]


def test_the_ids_of_the_log_are_not_told() -> None:
    payload = {"text": "Waiting", "request_id": "0123456789abcdef", "traceparent": "00-1-2-01"}
    told = streams.format_event(Event(sequence=1, kind=EventKind.QUEUED, payload=payload))
    assert json.loads(told.partition("data: ")[2]).keys() == {"kind", "at", "text"}


def test_a_watcher_sees_every_event_as_it_happens_and_the_end(owner, handed_in):
    submission = handed_in(owner)

    def work(chunk: int) -> None:
        if chunk == 2:  # the retry interval, and the first event
            claim = services.claim("w")
            services.add_event(claim, EventKind.CASE, {"text": "Case 1 of 2", "index": 1, "total": 2})
            services.record(claim, Report(Verdict.WRONG_ANSWER, "Differs.\nAnd more."))

    chunks = follow(owner, submission, meanwhile=work)
    assert ids_of(chunks) == [1, 2, 3, 4]
    name, data = chunks[-1].strip().split("\n")[1:]
    assert name == "event: finished"
    body = json.loads(data.removeprefix("data: "))
    assert (body["verdict"], body["text"]) == ("wrong_answer", "Differs.\nAnd more.")


def test_a_watcher_who_comes_back_misses_nothing_and_sees_nothing_twice(owner, handed_in):
    submission = handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    assert ids_of(follow(owner, submission, last_event_id="1")) == [2, 3]
    assert ids_of(follow(owner, submission, last_event_id="nonsense")) == [1, 2, 3]


def test_a_watcher_who_has_seen_the_end_is_told_to_stop(owner, handed_in, client):
    submission = handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    client.force_login(owner)
    route = f"/submissions/{submission.public_id}/events"
    assert client.get(route, headers={"Last-Event-ID": "3"}).status_code == 204


def test_a_stream_keeps_alive_and_ends_in_time(owner, handed_in, settings, monkeypatch):
    settings.WARPCOURT = replace(settings.WARPCOURT, stream_limit_s=1)
    monkeypatch.setattr(streams, "KEEP_ALIVE_S", 0.2)
    chunks = follow(owner, handed_in(owner))
    assert ids_of(chunks) == [1]
    assert 2 <= chunks.count(": still here\n\n") <= 6


def test_streams_end_when_the_server_stops(owner, handed_in, settings, tmp_path):
    settings.WARPCOURT = replace(settings.WARPCOURT, runtime_dir=tmp_path)
    chunks = follow(
        owner, handed_in(owner), meanwhile=lambda _: draining.stopping_mark(settings.WARPCOURT).touch()
    )
    assert ids_of(chunks) == [1]


def test_a_user_may_open_a_bounded_number_of_streams(owner, handed_in, monkeypatch):
    monkeypatch.setattr(streams, "MAX_STREAMS_PER_USER", 0)
    submission = handed_in(owner)

    async def status() -> int:
        client = AsyncClient()
        await client.aforce_login(owner)
        return (await client.get(f"/submissions/{submission.public_id}/events")).status_code

    assert async_to_sync(status)() == 429


def test_streams_that_are_requested_at_the_same_time_count_too(owner, handed_in, monkeypatch):
    submission = handed_in(owner)
    monkeypatch.setattr(streams, "MAX_STREAMS_PER_USER", 2)

    async def open_streams() -> list[int]:
        client = AsyncClient()
        await client.aforce_login(owner)
        answers = [await client.get(f"/submissions/{submission.public_id}/events") for _ in range(5)]
        contents = [cast("AsyncGenerator[bytes]", content_of(answer)) for answer in answers]
        began = [await anext(content, None) for content in contents]
        for content in contents:
            await content.aclose()
        return [number for number, chunk in enumerate(began) if chunk is not None]

    assert async_to_sync(open_streams)() == [0, 1]


def standings_of(chunks: list[str]) -> list[dict[str, object]]:
    """Return the data of `queue` events. They have no number, because a client need not catch up on them."""
    told = [chunk for chunk in chunks if chunk.startswith("event: queue\n")]
    return [json.loads(chunk.split("\n")[1].removeprefix("data: ")) for chunk in told]


def test_a_watcher_is_told_the_place_in_the_queue_as_it_changes(owner, teammate, handed_in, monkeypatch):
    monkeypatch.setattr(event_broadcaster, "POSITION_S", 0.1)
    other, submission = handed_in(teammate), handed_in(owner)

    def work(chunk: int) -> None:
        if chunk == 3:  # the retry interval, the first event, and the place
            services.cancel(other)
        if chunk == 4:
            services.cancel(submission)

    chunks = follow(owner, submission, meanwhile=work)
    assert [told["text"] for told in standings_of(chunks)] == ["2nd in the queue", "Next in the queue"]
    assert standings_of(chunks)[0]["place"] == 2


def test_a_place_is_told_again_after_a_job_returned_to_the_queue(owner, handed_in, monkeypatch):
    monkeypatch.setattr(event_broadcaster, "POSITION_S", 0.1)
    submission = handed_in(owner)

    def work(chunk: int) -> None:
        if chunk == 3:  # the retry interval, the first event, and the place
            services.return_to_queue(services.claim("w"), failed=False)
        if chunk == 6:  # claimed, returned, and the place
            services.cancel(submission)

    chunks = follow(owner, submission, meanwhile=work)
    assert [told["text"] for told in standings_of(chunks)] == ["Next in the queue"] * 2


def test_a_watcher_is_told_when_the_gpu_that_was_asked_for_is_gone(owner, handed_in, live_gpus, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, stream_limit_s=1)
    live_gpus("NVIDIA H200")
    submission = handed_in(owner, gpu_model="NVIDIA H200")
    Node.objects.all().delete()
    (told,) = standings_of(follow(owner, submission))
    assert "No NVIDIA H200 is available any more" in told["detail"]


def test_one_look_serves_all_watchers(owner, teammate, handed_in, django_assert_max_num_queries):
    submissions = [handed_in(person) for person in (owner, owner, teammate)]
    seen = {submission.pk: 0 for submission in submissions}
    with django_assert_max_num_queries(2):
        found, waiting = queries.follow_all(seen)
    assert set(found) == set(waiting) == set(seen)
    found, waiting = queries.follow_all(dict.fromkeys(seen, 1))
    assert not found
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    found, waiting = queries.follow_all({**dict.fromkeys(seen, 1), 10**9: 4})
    assert [event.sequence for event in found[submissions[0].pk].events] == [2, 3]
    assert (found[submissions[0].pk].over, found[10**9].over) == (True, True)
    assert submissions[0].pk not in waiting


def test_a_watcher_who_does_not_read_is_let_go(owner, handed_in, monkeypatch):
    monkeypatch.setattr(event_broadcaster, "MAX_PENDING", 2)
    submission = handed_in(owner)

    def work(chunk: int) -> None:
        if chunk == 2:
            claim = services.claim("w")
            for index in range(1, 5):
                services.add_event(claim, EventKind.CASE, {"text": "", "index": index, "total": 9})

    chunks = follow(owner, submission, meanwhile=work)
    assert ids_of(chunks) == [1, 2, 3, 4, 5, 6], (
        "what was found is handed out; the rest comes on reconnecting"
    )


def test_a_database_that_does_not_answer_is_survived(owner, handed_in, monkeypatch):
    monkeypatch.setattr(event_broadcaster, "TROUBLED_S", 0.05)
    submission = handed_in(owner)
    failures = iter([True, True])
    look = queries.follow_all

    def fail_first(seen):
        if next(failures, False):
            raise OperationalError("the server is starting up")
        return look(seen)

    monkeypatch.setattr(queries, "follow_all", fail_first)
    chunks = follow(owner, submission, meanwhile=lambda n: n == 2 and services.cancel(submission))
    assert ids_of(chunks) == [1, 2]
