"""Tests the options of connections to the database."""

import pytest

from web.config import Config
from web.site.databases import databases


def options(url: str, lease_s: int = 20) -> dict[str, object]:
    """Django's options of the database at `url`."""
    config = Config.from_env({"WARPCOURT_DATABASE_URL": url, "WARPCOURT_LEASE_S": str(lease_s)})
    found = databases(config)["default"]["OPTIONS"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(("lease_s", "idle_s"), [(2, 5), (14, 7), (20, 10), (600, 10)])
def test_no_side_waits_for_longer_than_a_lease(lease_s, idle_s):
    found = options("postgres://somebody@host/name", lease_s)
    assert found["connect_timeout"] == 5
    assert found["tcp_user_timeout"] == 10_000
    assert f"-c idle_in_transaction_session_timeout={idle_s}s" in found["options"]
    assert "-c tcp_keepalives_idle=5" in found["options"]


def test_what_the_url_says_wins():
    found = options("postgres://somebody@host/name?connect_timeout=2&sslmode=verify-full")
    assert (found["connect_timeout"], found["sslmode"]) == (2, "verify-full")
    assert "pool" in found


def test_sqlite_waits_its_turn_to_write():
    found = options("")
    assert found["transaction_mode"] == "IMMEDIATE"
    assert "options" not in found
