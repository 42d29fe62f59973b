"""Tests where the command stores its token, and to which site it sends the token."""

from pathlib import Path

import pytest

from web.cli.credentials import Credentials, CredentialsInvalid, file_of, forget, load, save

KEPT = Credentials("https://court.example.org", "secret")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_what_is_saved_is_loaded_until_it_is_forgotten(environ: dict[str, str]) -> None:
    assert load(environ) is None
    save(KEPT, environ)
    assert load(environ) == KEPT
    assert forget(environ)
    assert load(environ) is None
    assert not forget(environ)


def test_only_the_owner_may_read_the_file(environ: dict[str, str]) -> None:
    save(KEPT, environ)
    path = save(KEPT, environ)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0


def test_the_environment_comes_first(environ: dict[str, str]) -> None:
    save(KEPT, environ)
    assert load(environ | {"WARPCOURT_TOKEN": "other"}) == Credentials(KEPT.url, "other")
    assert load({"WARPCOURT_URL": "http://a/", "WARPCOURT_TOKEN": "t"}) == Credentials("http://a", "t")


def test_a_token_is_not_given_to_another_site(environ: dict[str, str]) -> None:
    save(KEPT, environ)
    assert load(environ | {"WARPCOURT_URL": "https://other.example.org"}).token is None
    assert load(environ | {"WARPCOURT_URL": f"{KEPT.url}/"}).token == "secret"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"url": 1}', "\xff"])
def test_a_broken_file_says_what_to_do(environ: dict[str, str], text: str) -> None:
    path = file_of(environ)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="latin-1")
    with pytest.raises(CredentialsInvalid, match="warpcourt login"):
        load(environ)
