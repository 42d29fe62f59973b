"""The site's REST API as this command uses it.

SiteError                the message is for the user
+-- Unreachable          no response, or a response that is not the API's
+-- Refused              the site refused; `status` is the HTTP status
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
    """Base class of errors of requests to the site."""


class Unreachable(SiteError):
    """Raised when there is no response, or the server is not a Warpcourt site."""


class RequestRefused(SiteError):
    """Raised when the site refuses a request. `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Event:
    """A progress event of a submission. Temporary state, such as the queue position, has no `sequence`."""

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
        """GET `path` with `query`, without its empty entries. Return the parsed response."""
        wanted = {name: value for name, value in query.items() if value is not None}
        return self._send("GET", path, params=wanted)

    def download(self, path: str) -> bytes:
        """GET `path` and return the content of the response."""
        return self._answer("GET", path).content

    def pages(self, path: str, rows: str, cursor: str, **query: str | int | None) -> Iterator[Body]:
        """Yield the rows of all pages. `rows` is their field, `cursor` the query parameter for `next`."""
        following: str | None = None
        while True:
            page = self.get(path, **{**query, cursor: following})
            yield from page[rows]
            following = page["next"]
            if following is None:
                return

    def post(self, path: str, body: Body, **headers: str) -> Any:
        """POST `body` and return the parsed response."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._send("POST", path, json=body, headers=named)

    def put(self, path: str, body: Body) -> Any:
        """PUT `body` and return the parsed response."""
        return self._send("PUT", path, json=body)

    def upload(self, path: str, name: str, content: bytes, **fields: str) -> Any:
        """POST a file as the form field `name`, with `fields`. Return the parsed response."""
        return self._send("POST", path, files={name: (name, content)}, data=fields)

    def follow(self, public_id: str) -> Iterator[Event]:
        """Yield the progress events of a submission up to the last. Reconnects if the connection breaks.

        Raises:
            Unreachable: reconnecting failed. The site still judges the submission.
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
                    raise Unreachable(f"Lost the connection to the site while waiting: {error}") from error
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
        response = self._answer(method, path, **options)
        if response.status_code == 204:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise Unreachable(f"{self.url} is not a Warpcourt server; check the URL.") from error

    def _answer(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **options)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            if "WRONG_VERSION_NUMBER" in str(error):
                plain = self.url.replace("https:", "http:", 1)
                raise Unreachable(f"{self.url} does not use TLS. Did you mean {plain}?") from error
            raise Unreachable(f"Cannot reach {self.url}: {error}") from error
        if response.status_code >= 400:
            raise _refusal(response)
        return response


def _refusal(response: httpx.Response) -> SiteError:
    try:
        error = response.json()["error"]
        message = str(error["message"])
        wrong = "; ".join(f"{name}: {' '.join(texts)}" for name, texts in error["fields"].items())
    except (ValueError, KeyError, TypeError):
        return Unreachable(
            f"The response ({response.status_code}) is not from a Warpcourt server; check the URL."
        )
    if response.status_code >= 500:
        return Unreachable(message)
    if response.status_code == 401:
        message = "You are not signed in to this site, or the token has expired. Run: warpcourt login URL"
    if response.status_code == 404:
        message = f"{_missing(response.request)} doesn't exist, or you don't have access to it."
    return RequestRefused(response.status_code, f"{message} {wrong}".strip())


def _missing(request: httpx.Request) -> str:
    """Return what a request that was answered by 404 was about."""
    asked = request.url.path.partition("/api/v1/")[2]
    kind, _, rest = asked.partition("/")
    name = rest.partition("/")[0]
    if asked == "submissions":  # a new one, whose problem is in the body
        kind, name = "problems", str(json.loads(request.content).get("problem", ""))
    if name and kind in {"problems", "submissions"}:
        return f"The {kind.removesuffix('s')} {name}"
    return asked
