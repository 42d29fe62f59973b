"""Tests the command's client of the REST API against fake answers."""

from collections.abc import Callable

import httpx
import pytest

from web.cli.client import Client, RequestRefused, Unreachable
from web.cli.credentials import Credentials

Handler = Callable[[httpx.Request], httpx.Response]


def asking(handler: Handler) -> Client:
    return Client(Credentials("https://court.example.org", "secret"), httpx.MockTransport(handler))


def error(status: int, message: str, **fields: list[str]) -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": "x", "message": message, "fields": fields}})


def test_the_token_goes_along() -> None:
    with asking(lambda request: httpx.Response(200, json=dict(request.headers))) as client:
        assert client.get("profile")["authorization"] == "Bearer secret"


def test_a_refusal_says_which_field_is_wrong() -> None:
    with (
        asking(lambda _: error(422, "Not valid.", sizes=["too small"])) as client,
        pytest.raises(RequestRefused, match=r"Not valid\. sizes: too small") as caught,
    ):
        client.post("submissions", {})
    assert caught.value.status == 422


def test_an_ended_token_says_to_sign_in() -> None:
    with (
        asking(lambda _: error(401, "Send a token")) as client,
        pytest.raises(RequestRefused, match="warpcourt login"),
    ):
        client.get("profile")


@pytest.mark.parametrize(
    "answer",
    [httpx.Response(200, text="<html>"), httpx.Response(404, text="nothing"), httpx.Response(502, json=[])],
)
def test_a_site_that_is_no_warpcourt_is_told_as_such(answer: httpx.Response) -> None:
    with asking(lambda _: answer) as client, pytest.raises(Unreachable, match="Warpcourt server"):
        client.get("profile")


@pytest.mark.parametrize(
    ("ask", "missing"),
    [
        (
            lambda client: client.post("submissions", {"problem": "no-such"}),
            "The problem no-such doesn't exist",
        ),
        (lambda client: client.get("problems/no-such/starters"), "The problem no-such doesn't exist"),
        (lambda client: client.post("submissions/x1/cancel", {}), "The submission x1 doesn't exist"),
        (lambda client: client.get("nodes/7"), "nodes/7 doesn't exist"),
    ],
)
def test_what_does_not_exist_is_named(ask: Callable[[Client], object], missing: str) -> None:
    with (
        asking(lambda _: error(404, "Not found")) as client,
        pytest.raises(RequestRefused, match=f"^{missing}"),
    ):
        ask(client)


def test_a_site_without_tls_is_recognised() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("[SSL: WRONG_VERSION_NUMBER] wrong version number", request=request)

    said = r"does not use TLS\. Did you mean http://court\.example\.org\?"
    with asking(fail) as client, pytest.raises(Unreachable, match=said):
        client.get("profile")


def test_a_site_that_cannot_be_reached() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with asking(fail) as client, pytest.raises(Unreachable, match="Cannot reach"):
        client.get("profile")


def test_pages_are_read_to_the_end() -> None:
    pages = {None: {"rows": [{"n": 1}, {"n": 2}], "next": "b"}, "b": {"rows": [{"n": 3}], "next": None}}
    with asking(lambda request: httpx.Response(200, json=pages[request.url.params.get("before")])) as client:
        assert list(client.pages("submissions", "rows", "before", problem=None)) == [
            {"n": 1},
            {"n": 2},
            {"n": 3},
        ]


def test_a_broken_stream_is_resumed_where_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.cli.client.time.sleep", lambda _: None)
    place = "event: place\ndata: {}\n\n"
    steps = {"0": f"id: 1\nevent: queued\ndata: {{}}\n\n{place}", "1": "id: 2\nevent: finished\ndata: {}\n\n"}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/events"):
            return httpx.Response(200, text=": hello\n\n" + steps[request.headers["Last-Event-ID"]])
        return httpx.Response(200, json={"state": "judging"})

    with asking(answer) as client:
        assert [event.kind for event in client.follow("abc")] == ["queued", "place", "finished"]


def test_a_stream_that_stays_away_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.cli.client.time.sleep", lambda _: None)

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/events"):
            raise httpx.ReadError("gone", request=request)
        return httpx.Response(200, json={"state": "judging"})

    with asking(answer) as client, pytest.raises(Unreachable, match="Lost the connection"):
        list(client.follow("abc"))
