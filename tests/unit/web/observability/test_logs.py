"""Tests what a log line contains, and what it must never contain."""

import io
import json
import logging
import logging.config
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import structlog
from django.test import Client, RequestFactory
from django.urls import reverse

from tests.conftest import PASSWORD
from web.observability import middleware
from web.site.logs import logging_settings
from web.site.origin import here

pytestmark = pytest.mark.django_db
SECRET = "__global__ void not_for_the_log() {}"


@contextmanager
def writing(form: str) -> Iterator[io.StringIO]:
    """Yield the log of the block, in this form."""
    found = io.StringIO()
    formatter = {**logging_settings(form, "DEBUG")["formatters"]["structlog"]}
    handler = logging.StreamHandler(found)
    handler.setFormatter(formatter.pop("()")(**formatter))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel("DEBUG")
    try:
        yield found
    finally:
        root.removeHandler(handler)
        root.setLevel(before)


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """The lines of the log, as JSON."""
    with writing("json") as found:
        yield lambda: [json.loads(line) for line in found.getvalue().splitlines()]


def fail_with(source: str) -> None:
    text = source + "!"
    raise RuntimeError(f"no good after {len(text)} characters")


@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize("logger", [structlog.get_logger("ours"), logging.getLogger("library")])
def test_a_traceback_shows_no_values(form: str, logger: Any) -> None:
    with writing(form) as found:
        try:
            fail_with(SECRET)
        except RuntimeError:
            logger.exception("it_failed")
    assert "fail_with" in found.getvalue(), "the traceback is there"
    assert "no good after" in found.getvalue()
    assert "not_for_the_log" not in found.getvalue()


def test_a_traceback_is_one_line_of_json(lines: Callable[[], list[dict[str, Any]]]) -> None:
    try:
        fail_with(SECRET)
    except RuntimeError:
        logging.getLogger("library").exception("it failed")
    (line,) = lines()
    assert line["event"] == "it failed"
    assert line["level"] == "error"
    assert "RuntimeError: no good after" in line["exception"]


def test_lines_of_a_request_name_it_and_who_is_signed_in_by_number(
    lines: Callable[[], list[dict[str, Any]]], owner, problem
) -> None:
    client = Client()
    assert client.login(username="owner", password=PASSWORD)
    answer = client.get(reverse("problem", args=[problem.slug]))
    asked = next(line for line in lines() if line["event"] == "request")
    assert asked["request_id"] == answer.headers["X-Request-ID"]
    assert asked["user_id"] == owner.pk
    assert (asked["view"], asked["status"]) == ("problem", 200)
    assert "owner" not in json.dumps(asked)


def test_a_line_asks_the_database_nothing(
    lines: Callable[[], list[dict[str, Any]]], django_assert_num_queries
) -> None:
    with django_assert_num_queries(0):
        Client().get("/healthz")
    assert "user_id" not in next(line for line in lines() if line["event"] == "request")


def test_each_request_has_an_id_of_its_own_and_none_outlives_it() -> None:
    ids = {Client().get("/healthz").headers["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3
    assert here() == {}


@pytest.mark.parametrize(
    ("proxies", "given", "kept"),
    [
        (1, "0123456789abcdef", True),
        (0, "0123456789abcdef", False),
        (1, "short", False),
        (1, "with spaces in it", False),
        (1, "x" * 65, False),
        (1, '{"event":"forged"}', False),
    ],
)
def test_an_id_is_taken_from_a_trusted_proxy_alone(settings, proxies: int, given: str, kept: bool) -> None:
    request = RequestFactory().get("/healthz", headers={"X-Request-ID": given})
    settings.WARPCOURT = replace(settings.WARPCOURT, trusted_proxies=proxies)
    assert (middleware._id_of(request) == given) is kept
