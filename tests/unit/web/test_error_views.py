"""Tests the pages that users see while the database is down."""

import pytest
from django.db import OperationalError
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def away(monkeypatch):
    """A database that does not answer any query."""

    def refuse(*_, **__):
        raise OperationalError("connection refused")

    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", refuse)


@pytest.fixture
def visitor():
    return Client(raise_request_exception=False)


def test_a_page_says_so_and_tries_again_by_itself(away, visitor):
    answer = visitor.get("/problems")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert 'http-equiv="refresh"' in answer.text
    assert "Your submissions are safe" in answer.text


def test_what_was_sent_is_not_sent_again_by_itself(away, visitor):
    answer = visitor.post("/accounts/login/", {"login": "a", "password": "b"})
    assert answer.status_code == 503
    assert "refresh" not in answer.text
    assert "send it again" in answer.text


def test_the_api_says_so_in_its_one_form(away, visitor):
    answer = visitor.get("/api/v1/problems")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["error"]["code"] == "unavailable"


def test_another_failure_is_our_fault(visitor, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr("web.practice.lists.list_page", fail)
    answer = visitor.get("/problems")
    assert answer.status_code == 500
    assert "Something went wrong" in answer.text
