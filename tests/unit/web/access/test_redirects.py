"""Tests that `next` may lead only to this site."""

import pytest

from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
ELSEWHERE = (
    "https://evil.example/",
    "//evil.example/",
    "///evil.example",
    "\\\\evil.example",
    "/\\evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "http://testserver@evil.example/",
)


@pytest.mark.parametrize("target", ELSEWHERE)
@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/logout/"])
def test_signing_in_and_out_leads_nowhere_else(owner, client, path: str, target: str) -> None:
    fields = {"login": "owner", "password": PASSWORD, "username": "newcomer", "password1": PASSWORD}
    if "logout" in path:
        client.force_login(owner)
    answer = client.post(path, fields | {"next": target})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/")
    assert "evil" not in answer["Location"]
    assert "evil" not in client.get(path, {"next": target}).get("Location", "")
