"""Tests wrong tokens and keys: how many an address may try, and which clients that does not block."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from web.accounts.models import ApiToken, User
from web.accounts.services import issue_token
from web.api import fleet
from web.fleet import handshake
from web.fleet.handshake import Role
from web.fleet.invitations import invite
from web.fleet.joining import ADDRESS
from web.site.cache import ForgivingRedisCache

pytestmark = pytest.mark.django_db

CLASS, ELSEWHERE = "203.0.113.7", "198.51.100.9"
FEW = {"key_failed": "2/5m/key,6/m/ip"}


def ask(secret: str, address: str = CLASS) -> Any:
    return Client(REMOTE_ADDR=address).get("/api/v1/profile", headers={"Authorization": f"Bearer {secret}"})


def ask_as_node(key: str, address: str = CLASS) -> Any:
    return Client(REMOTE_ADDR=address).post(
        "/api/v1/personal/claim",
        json.dumps({"version": "0", "hardware": "CPU"}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


@pytest.mark.parametrize("call", [ask, ask_as_node])
def test_one_wrong_key_is_refused_before_it_is_looked_up(call, settings, django_assert_num_queries) -> None:
    settings.ACCOUNT_RATE_LIMITS = FEW
    assert [call("wcn_wrong").status_code for _ in range(2)] == [401, 401]
    with django_assert_num_queries(0):
        refused = call("wcn_wrong")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 300
    assert "Too many invalid tokens or keys from your address" in refused.json()["error"]["message"]
    assert call("wcn_wrong", ELSEWHERE).status_code == 401
    assert call("wcn_other").status_code == 401  # a refused attempt counts nowhere


@pytest.mark.parametrize("call", [ask, ask_as_node])
def test_many_wrong_keys_stop_an_address(call, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = FEW
    assert {call(f"wcn_{number}").status_code for number in range(6)} == {401}
    assert call("wcn_6").status_code == 429
    assert call("wcn_6", ELSEWHERE).status_code == 401


def test_other_wrong_keys_push_no_count_out_of_the_cache(settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"key_failed": "2/5m/key,6000/m/ip"}
    assert [ask("wcn_wrong").status_code for _ in range(3)] == [401, 401, 429]
    for number in range(1000):
        cache.set(f"other-{number}", 1)
    assert ask("wcn_wrong").status_code == 429


def test_wrong_keys_of_a_neighbour_do_not_stop_one_that_worked(owner: User, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = FEW
    worked, new = (issue_token(owner, name=name)[1] for name in ("worked", "new"))
    assert ask(worked).status_code == 200
    for number in range(7):
        ask(f"wct_{number}")
    assert ask(worked).status_code == 200
    assert ask(new).status_code == 429
    assert ask(new, ELSEWHERE).status_code == 200
    ApiToken.objects.all().delete()
    assert [ask(worked).status_code for _ in range(2)] == [401, 429]


def test_tokens_that_join_count_too(settings, monkeypatch) -> None:
    settings.ACCOUNT_RATE_LIMITS = FEW
    token = invite("gpu-7", "https://court.example.org", {}, lifetime=timedelta(hours=1))

    def join(secret: bytes) -> int:
        key, nonce = handshake.proof_key(secret), handshake.new_nonce()
        body = {"id": token.id, "nonce": nonce, "proof": handshake.prove(key, Role.NODE, token.id, nonce)}
        return Client().post(ADDRESS, json.dumps(body), content_type="application/json").status_code

    assert [join(b"x" * 32), join(b"y" * 32)] == [403, 403]
    monkeypatch.setattr(fleet, "admit", lambda *_: pytest.fail("it was looked up"))
    assert join(token.secret) == 429


def test_without_its_cache_the_site_does_not_limit(settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = FEW
    away = ForgivingRedisCache("redis://127.0.0.1:9/0", {})
    assert away.get_many(["a", "b"]) == {}
    cache.clear()
