"""The site's REST API as this command uses it.

SiteError                the message is for the person at the terminal
+-- Unreachable          no answer, or an answer that is not the API's
+-- Refused              the site says no; `status` is the HTTP status
"""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from .credentials import Credentials

_TIMEOUT = httpx.Timeout(20.0, connect=10.0)
# Between events the site sends a comment every fifteen seconds.
_STREAM_TIMEOUT = httpx.Timeout(45.0, connect=10.0)
_RECONNECTS = 8
_LONGEST_PAUSE_S = 10.0

Body = dict[str, Any]


class SiteError(Exception):
    """Root of the reasons for which the site gave no answer that helps."""


class Unreachable(SiteError):
    """Raised when there is no answer, or one that no Warpcourt gives."""


class Refused(SiteError):
    """Raised when the site refuses. `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a judgement: its number, its kind, and what it says.

    What holds for the moment only, such as the place in the queue, has no number.
    """

    sequence: int | None
    kind: str
    body: Mapping[str, Any]


class Client:
    """A connection to one site. Close it, or use it as a context manager."""

    def __init__(self, credentials: Credentials, transport: httpx.BaseTransport | None = None) -> None:
        headers = {"User-Agent": "warpcourt-cli", "Accept": "application/json"}
        if credentials.token:
            headers["Authorization"] = f"Bearer {credentials.token}"
        self.url = credentials.url
        self._http = httpx.Client(
            base_url=f"{credentials.url}/api/v1/", headers=headers, timeout=_TIMEOUT, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, path: str, **query: str | int | None) -> Any:
        """What is at `path`; `query` without its empty entries."""
        wanted = {name: value for name, value in query.items() if value is not None}
        return self._send("GET", path, params=wanted)

    def pages(self, path: str, rows: str, cursor: str, **query: str | int | None) -> Iterator[Body]:
        """Every row of a list that comes in pages, named `rows`; `cursor` is the query's name for `next`."""
        following: str | None = None
        while True:
            page = self.get(path, **{**query, cursor: following})
            yield from page[rows]
            following = page["next"]
            if following is None:
                return

    def post(self, path: str, body: Body, **headers: str) -> Any:
        """What the site answers to `body`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._send("POST", path, json=body, headers=named)

    def put(self, path: str, body: Body) -> Any:
        """What the site answers to `body` in place of what is there."""
        return self._send("PUT", path, json=body)

    def upload(self, path: str, name: str, content: bytes, **fields: str) -> Any:
        """What the site answers to a file, with `fields` beside it. `name` is how the site calls it."""
        return self._send("POST", path, files={name: (name, content)}, data=fields)

    def follow(self, public_id: str) -> Iterator[Event]:
        """The steps of a judgement as they happen, up to the last; reconnects where the line breaks.

        Raises:
            Unreachable: the site was lost for good. The submission goes on all the same.
        """
        seen, failures = 0, 0
        while True:
            try:
                for event in self._stream(public_id, seen):
                    seen, failures = event.sequence or seen, 0
                    yield event
                    if event.kind == "finished":
                        return
            except httpx.HTTPError as error:
                failures += 1
                if failures > _RECONNECTS:
                    raise Unreachable(f"The site was lost while waiting: {error}") from error
            if self.get(f"submissions/{public_id}")["state"] == "done":
                return
            time.sleep(min(0.5 * 2**failures, _LONGEST_PAUSE_S))

    def _stream(self, public_id: str, seen: int) -> Iterator[Event]:
        headers = {"Last-Event-ID": str(seen), "Accept": "text/event-stream"}
        url = f"submissions/{quote(public_id, safe='')}/events"
        with self._http.stream("GET", url, headers=headers, timeout=_STREAM_TIMEOUT) as response:
            if response.status_code >= 400:
                response.read()
                raise _refusal(response)
            fields: dict[str, str] = {}
            for line in response.iter_lines():
                name, _, value = line.partition(": ")
                if line:
                    fields[name] = value
                elif "data" in fields:
                    number = int(fields["id"]) if "id" in fields else None
                    yield Event(number, fields["event"], json.loads(fields["data"]))
                    fields = {}

    def _send(self, method: str, path: str, **options: Any) -> Any:
        try:
            response = self._http.request(method, path, **options)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{self.url} cannot be reached: {error}") from error
        if response.status_code == 204:
            return None
        if response.status_code >= 400:
            raise _refusal(response)
        try:
            return response.json()
        except ValueError as error:
            raise Unreachable(f"{self.url} is not a Warpcourt server; check the URL.") from error


def _refusal(response: httpx.Response) -> SiteError:
    try:
        error = response.json()["error"]
        message = str(error["message"])
        wrong = "; ".join(f"{name}: {' '.join(texts)}" for name, texts in error["fields"].items())
    except (ValueError, KeyError, TypeError):
        return Unreachable(f"The site answered {response.status_code} and is not a Warpcourt server.")
    if response.status_code >= 500:
        return Unreachable(message)
    if response.status_code == 401:
        message = "You are not signed in here, or the token has ended; run: warpcourt login URL"
    return Refused(response.status_code, f"{message} {wrong}".strip())
