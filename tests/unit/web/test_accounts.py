from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import IntegrityError
from django.utils import timezone

from web.accounts import queries, services
from web.accounts.models import ApiToken, Scope, User

pytestmark = pytest.mark.django_db


def test_names_are_unique_whatever_their_case(owner):
    with pytest.raises(ValidationError, match="taken"):
        services.create_user("OWNER", "correct horse battery")
    with pytest.raises(IntegrityError):
        User.objects.create(username="Owner")


def test_a_user_is_found_whatever_the_case(owner):
    assert queries.find_user("OwNeR") == owner
    assert User.objects.get_by_natural_key("OWNER") == owner


@pytest.mark.parametrize("name", ["<script>", "a b", "a", "x" * 31, "-x", "naïve", "a\n", "../x", ""])
def test_names_are_plain(name):
    with pytest.raises(ValidationError):
        services.create_user(name, "correct horse battery")


def test_an_email_address_is_optional():
    assert services.create_user("nomail", "correct horse battery").email == ""


def test_a_token_stands_for_its_user_and_only_its_digest_is_stored(owner):
    token, secret = services.issue_token(owner, name="laptop")
    stored = ApiToken.objects.values().get()
    assert secret not in str(stored)
    assert secret.startswith(token.prefix)
    assert len(token.prefix) < len(secret) / 2
    assert services.use_token(secret).user == owner
    assert services.use_token(secret[:-1]) is None


def test_a_token_notes_when_it_was_used(owner):
    token, secret = services.issue_token(owner, name="laptop")
    services.use_token(secret)
    token.refresh_from_db()
    assert token.last_used is not None


def test_a_token_expires(owner):
    _, secret = services.issue_token(owner, name="laptop", lifetime=timedelta(days=1))
    assert services.use_token(secret, now=timezone.now() + timedelta(days=1, seconds=1)) is None
    ApiToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert not queries.list_tokens(owner).exists()


def test_a_token_of_somebody_who_was_locked_out_is_dead(owner):
    _, secret = services.issue_token(owner, name="laptop")
    User.objects.update(is_active=False)
    assert services.use_token(secret) is None


@pytest.mark.parametrize("days", [0, -1, 367])
def test_a_token_lives_a_year_at_most(owner, days):
    with pytest.raises(ValidationError):
        services.issue_token(owner, name="laptop", lifetime=timedelta(days=days))


def test_a_user_holds_a_bounded_number_of_tokens(owner):
    for number in range(services.MAX_TOKENS):
        services.issue_token(owner, name=str(number), scope=Scope.READ)
    with pytest.raises(services.TooManyTokens):
        services.issue_token(owner, name="one more")


def test_only_its_holder_revokes_a_token(owner, teammate):
    token, secret = services.issue_token(owner, name="laptop")
    assert not services.revoke_token(teammate, token.pk)
    assert services.use_token(secret)
    assert services.revoke_token(owner, token.pk)
    assert services.use_token(secret) is None


def test_each_scope_includes_those_before_it():
    allowed = {scope: [wanted.value for wanted in Scope if scope.includes(wanted)] for scope in Scope}
    assert allowed == {
        Scope.READ: ["read"],
        Scope.SUBMIT: ["read", "submit"],
        Scope.AUTHOR: ["read", "submit", "author"],
    }


@pytest.mark.parametrize("names", [["OWNER"], []])
def test_the_command_for_passwords_revokes_tokens(owner, monkeypatch, capsys, names):
    _, secret = services.issue_token(owner, name="laptop")
    User.objects.filter(pk=owner.pk).update(username="OWNER")
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "a password that staff chose")
    monkeypatch.setattr("getpass.getuser", lambda: "OWNER")
    call_command("changepassword", *names)
    assert "API tokens revoked: 1" in capsys.readouterr().out
    assert services.use_token(secret) is None
    assert User.objects.get(pk=owner.pk).check_password("a password that staff chose")
