"""Tests the limit of API requests per minute of a caller."""

from dataclasses import replace

import pytest
from django.test import override_settings

from web.accounts.services import issue_token

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _three_a_minute(settings, monkeypatch):
    settings.WARPCOURT = replace(settings.WARPCOURT, api_per_minute=3)
    monkeypatch.setattr("web.api.limits.time.time", lambda: 1_000_030.0)


def ask(client, secret: str | None = None):
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    return client.get("/api/v1/problems/vector-add", headers=headers)


def test_every_answer_says_what_is_left(client, problem):
    answer = ask(client)
    assert answer.status_code == 200
    assert (answer["RateLimit-Limit"], answer["RateLimit-Remaining"]) == ("3", "2")
    assert 0 < int(answer["RateLimit-Reset"]) <= 60


def test_one_request_too_many_is_told_when_to_come_back(client, problem):
    for _ in range(3):
        assert ask(client).status_code == 200
    refused = ask(client)
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "limit_reached"
    assert refused["Retry-After"] == refused["RateLimit-Reset"]


def test_tokens_of_one_user_count_together_and_users_apart(client, problem, owner, teammate):
    first, second = (issue_token(owner, name=name)[1] for name in ("a", "b"))
    other = issue_token(teammate, name="c")[1]
    for secret in (first, second, first):
        assert ask(client, secret).status_code == 200
    assert ask(client, second).status_code == 429
    assert ask(client, other).status_code == 200
    assert ask(client).status_code == 200


def test_the_next_minute_begins_anew(client, problem, monkeypatch):
    for _ in range(4):
        ask(client)
    monkeypatch.setattr("web.api.limits.time.time", lambda: 1_000_090.0)
    assert ask(client).status_code == 200


@override_settings(NINJA_NUM_PROXIES=0)
def test_an_address_that_a_client_claims_does_not_count(client, problem):
    for number in range(4):
        answer = client.get("/api/v1/problems/vector-add", headers={"X-Forwarded-For": f"10.0.0.{number}"})
    assert answer.status_code == 429
