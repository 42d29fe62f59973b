"""Following a submission by server-sent events."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import AsyncClient

from judge.report import Report
from problems.vocabulary import Verdict
from web.submissions import services, streams
from web.submissions.models import EventKind

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


def test_a_user_may_open_a_bounded_number_of_streams(owner, handed_in, monkeypatch):
    monkeypatch.setattr(streams, "MAX_STREAMS_PER_USER", 0)
    submission = handed_in(owner)

    async def status() -> int:
        client = AsyncClient()
        await client.aforce_login(owner)
        return (await client.get(f"/submissions/{submission.public_id}/events")).status_code

    assert async_to_sync(status)() == 429
