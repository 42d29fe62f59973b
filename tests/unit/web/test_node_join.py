"""Tests joining a node with a token: checks of the host, proofs of both sides, settings, and errors."""

import contextlib
import json
import shlex
import stat
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from deploy.audit.finding import Finding, Level
from web.audit.models import AuditEntry
from web.config import Config
from web.fleet import handshake, joining
from web.fleet.handshake import HandshakeFailed, JoinToken, Role
from web.fleet.invitations import admit, invite
from web.fleet.joining import ask_to_join, writing_settings
from web.fleet.management.commands import node as command
from web.fleet.models import NodeInvitation
from web.site.judging import board_key
from web.site.version import version

pytestmark = pytest.mark.django_db

SITE = "https://court.example.org"
SETTINGS = {
    "WARPCOURT_NODE_NAME": "gpu-7",
    "WARPCOURT_DATABASE_URL": "postgres://warpcourt:it's a $ecret@db.example.org/warpcourt",
    "WARPCOURT_BROKER_URL": "redis://:secret@redis.example.org:6379/0",
}


@pytest.fixture
def token() -> JoinToken:
    return invite("gpu-7", SITE, SETTINGS, lifetime=timedelta(hours=1))


def the_site(change: Callable[[dict[str, str]], object] = lambda answer: None) -> httpx.MockTransport:
    """The site, reached without a network. `change` is done to its answers."""

    def answer(request: httpx.Request) -> httpx.Response:
        found = Client().post(request.url.path, request.content, content_type="application/json")
        body = found.json()
        change(body)
        return httpx.Response(found.status_code, json=body)

    return httpx.MockTransport(answer)


def test_a_token_survives_being_copied(token: JoinToken) -> None:
    assert JoinToken.parse(f"  {token.to_text()}\n") == token


@pytest.mark.parametrize(
    "text", ["", "x", "wcj.a.b.c", "wct_abc", "a.b.c.d", "wcj." * 4, "é.é.é.é", "x" * 10_000]
)
def test_other_texts_are_no_tokens(text: str) -> None:
    with pytest.raises(HandshakeFailed, match="Copy all of it"):
        JoinToken.parse(text)


def test_part_of_a_token_is_no_token(token: JoinToken) -> None:
    text = token.to_text()
    for part in (text[:-8], text[1:], text.replace(token.id, token.id[:-1])):
        with contextlib.suppress(HandshakeFailed):
            assert JoinToken.parse(part) != token


def test_a_node_gets_its_settings_once(token: JoinToken) -> None:
    assert ask_to_join(token, the_site()) == SETTINGS
    with pytest.raises(HandshakeFailed, match="was used"):
        ask_to_join(token, the_site())
    kinds = AuditEntry.objects.order_by("pk").values_list("kind", "target_text")
    assert list(kinds) == [("node.invite", "gpu-7"), ("node.join", "gpu-7")]


def test_the_database_does_not_hold_the_settings_in_clear(token: JoinToken) -> None:
    row = NodeInvitation.objects.get()
    kept = f"{row.token_id} {row.name} {row.proof_key} {row.sealed}"
    assert "ecret" not in kept
    with pytest.raises(HandshakeFailed):
        handshake.unseal(bytes.fromhex(row.proof_key), row.sealed)


def test_a_token_expires_and_a_new_one_replaces_it(token: JoinToken) -> None:
    NodeInvitation.objects.update(expires=timezone.now())
    with pytest.raises(HandshakeFailed, match="has expired"):
        ask_to_join(token, the_site())
    first = invite("gpu-7", SITE, SETTINGS, lifetime=timedelta(hours=1))
    invite("gpu-7", SITE, SETTINGS, lifetime=timedelta(hours=1))
    with pytest.raises(HandshakeFailed, match="replaced"):
        ask_to_join(first, the_site())
    assert NodeInvitation.objects.count() == 1


def test_who_knows_only_the_id_gets_nothing_and_uses_nothing_up(token: JoinToken) -> None:
    stranger = replace(token, secret=b"x" * handshake.SECRET_BYTES)
    with pytest.raises(HandshakeFailed, match="refuses the token"):
        ask_to_join(stranger, the_site())
    assert ask_to_join(token, the_site()) == SETTINGS


def test_the_proof_of_one_side_is_not_that_of_the_other(token: JoinToken) -> None:
    key, nonce = handshake.proof_key(token.secret), handshake.new_nonce()
    assert admit(token.id, nonce, handshake.prove(key, Role.SITE, token.id, nonce)) is None
    assert admit(token.id, nonce, handshake.prove(key, Role.NODE, token.id, handshake.new_nonce())) is None
    assert admit(token.id, nonce, handshake.prove(key, Role.NODE, token.id, nonce)) is not None


def test_another_site_cannot_give_settings(token: JoinToken) -> None:
    other = handshake.seal(b"y" * 32, {"WARPCOURT_DATABASE_URL": "postgres://evil.example.org/x"})
    with pytest.raises(HandshakeFailed, match="is not the site that made it"):
        ask_to_join(token, the_site(lambda answer: answer.update(sealed=other)))


@pytest.mark.parametrize("content", [b"<html>", b"[]", b"{}", b"null"])
def test_what_is_not_warpcourt_is_told_apart(token: JoinToken, content: bytes) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content))
    with pytest.raises(HandshakeFailed, match="not one of Warpcourt"):
        ask_to_join(token, transport)


def test_an_answer_is_bounded_and_a_site_that_is_down_is_named(token: JoinToken) -> None:
    with pytest.raises(HandshakeFailed, match="too long"):
        ask_to_join(token, httpx.MockTransport(lambda _: httpx.Response(200, content=b"x" * 100_000)))
    with pytest.raises(HandshakeFailed, match="status 502"):
        ask_to_join(token, httpx.MockTransport(lambda _: httpx.Response(502)))

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(HandshakeFailed, match=r"Cannot reach https://court\.example\.org: refused"):
        ask_to_join(token, httpx.MockTransport(refuse))


@pytest.mark.parametrize("body", [{}, {"id": "x", "nonce": "y", "proof": "z"}, {"id": "é" * 16}])
def test_bad_requests_are_refused(client: Client, body: dict[str, str]) -> None:
    assert client.post(joining.ADDRESS, json.dumps(body), content_type="application/json").status_code == 422


def test_the_settings_are_a_file_for_its_owner_that_a_shell_reads(tmp_path: Path) -> None:
    path = tmp_path / "data" / "node.env"
    with writing_settings(path) as write:
        write(SETTINGS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    program = f'. "{path}"; printf %s "$WARPCOURT_DATABASE_URL"'
    read = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=True).stdout
    assert read == SETTINGS["WARPCOURT_DATABASE_URL"]


# The command


@pytest.fixture
def public(settings, tmp_path: Path) -> None:
    settings.WARPCOURT = replace(
        settings.WARPCOURT,
        data_dir=tmp_path,
        public_url=SITE,
        database_url="postgres://warpcourt@db.example.org/warpcourt",
        broker_url="redis://redis.example.org:6379/0",
    )


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """The findings of the audit of this host. A test may add more. The site answers without a network."""
    found = [Finding("driver", Level.OK, "580.126.9")]
    monkeypatch.setattr(command, "audit", lambda **_: iter(found))
    reach = [Finding("database", Level.OK, "PostgreSQL responds")]
    monkeypatch.setattr(joining, "check_reach", lambda _: iter(reach))
    asked = joining.ask_to_join
    monkeypatch.setattr(joining, "ask_to_join", lambda token: asked(token, the_site()))
    return found


def a_token(*options: str) -> str:
    out = StringIO()
    call_command("node", "invite", "gpu-7", *options, stdout=out, stderr=StringIO())
    return out.getvalue().strip()


@pytest.mark.usefixtures("public", "host")
def test_one_command_and_a_token_join_a_host(tmp_path: Path) -> None:
    out = StringIO()
    call_command("node", "join", a_token(), stdout=out)
    path = tmp_path / "node.env"
    lines = path.read_text().splitlines()
    assert "WARPCOURT_NODE_NAME=gpu-7" in lines
    assert "WARPCOURT_TARGET=gpu" in lines
    assert not any("version" in line.lower() for line in lines)
    assert "Joined as gpu-7." in out.getvalue()
    assert "python -m worker.node" in out.getvalue()
    assert "Install the site's version" not in out.getvalue()
    with pytest.raises(CommandError, match="this host has joined"):
        call_command("node", "join", a_token(), stdout=out)


@pytest.mark.usefixtures("public", "host")
def test_a_node_draws_the_contents_of_the_site_without_its_secret_key(settings, tmp_path: Path) -> None:
    ours = board_key(settings.WARPCOURT)
    call_command("node", "join", a_token(), stdout=StringIO())
    text = (tmp_path / "node.env").read_text()
    assert settings.SECRET_KEY not in text
    node = Config.from_env(dict(line.split("=", 1) for line in shlex.split(text)))
    settings.SECRET_KEY = "the key that the node has made for itself"
    assert board_key(node) == ours
    assert board_key(replace(node, board_key="")) != ours


@pytest.mark.usefixtures("public", "host")
@pytest.mark.parametrize(
    ("options", "setting", "isolation", "images"),
    [
        ((), "bubblewrap", "bubblewrap", None),
        ((), "docker", "docker", "host"),
        (("--isolation", "docker", "--images", "warpcourt:1"), "bubblewrap", "docker", "warpcourt:1"),
    ],
)
def test_the_host_is_checked_for_the_isolation_that_the_node_gets(
    settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    options: tuple[str, ...],
    setting: str,
    isolation: str,
    images: str | None,
) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, isolation=setting)
    audited = {}
    monkeypatch.setattr(command, "audit", lambda **given: audited.update(given) or iter(()))
    call_command("node", "join", *options, a_token(), stdout=StringIO())
    written = dict(line.split("=", 1) for line in (tmp_path / "node.env").read_text().splitlines())
    assert audited["isolation"] == written["WARPCOURT_ISOLATION"] == isolation
    assert audited["images"] == (images or "host")
    assert written.get("WARPCOURT_IMAGES") == images


@pytest.mark.usefixtures("public")
def test_a_host_that_lacks_something_reads_the_fix_and_keeps_its_token(
    host: list[Finding], tmp_path: Path
) -> None:
    text, out = a_token(), StringIO()
    host.append(Finding("mps", Level.MISSING, "not found", "install it"))
    with pytest.raises(CommandError, match=r"Problems to fix first: 1\. .* the token still works"):
        call_command("node", "join", text, stdout=out)
    assert "fix: install it" in out.getvalue()
    assert not (tmp_path / "node.env").exists()
    host.pop()
    call_command("node", "join", text, stdout=out)


@pytest.mark.usefixtures("public", "host")
def test_a_file_that_cannot_be_written_does_not_use_the_token_up(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    text = a_token()
    with pytest.raises(CommandError, match="Cannot write"):
        call_command("node", "join", "--file", str(tmp_path / "taken" / "node.env"), text)
    call_command("node", "join", text, stdout=StringIO())
    assert [path.name for path in tmp_path.glob("node.env*")] == ["node.env"]


@pytest.mark.parametrize(
    ("database", "broker"),
    [
        ("postgres://u:se%zzcret@db.example.org/x", "redis://127.0.0.1:1/0"),
        ("postgres://127.0.0.1:1/x", "redis://127.0.0.1:1/0?socket_timeout=abc"),
    ],
)
def test_urls_that_cannot_be_parsed_are_not_shown(database: str, broker: str) -> None:
    found = list(joining.check_reach({"WARPCOURT_DATABASE_URL": database, "WARPCOURT_BROKER_URL": broker}))
    assert len(found) == 2
    assert any("cannot be parsed" in str(finding) for finding in found)
    assert "zzcret" not in str(found)


@pytest.mark.usefixtures("public", "host")
def test_a_host_of_another_version_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    text, out = a_token(), StringIO()
    monkeypatch.setattr(command, "version", lambda: "0.0.1")
    call_command("node", "join", "--cpu", text, stdout=out)
    assert f"This host has version 0.0.1, the site {version()}." in out.getvalue()
    assert "worker.node" not in out.getvalue()


@pytest.mark.usefixtures("public", "host")
def test_a_host_that_does_not_reach_the_database_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    down = [Finding("database", Level.MISSING, "no route", "open the firewall")]
    monkeypatch.setattr(joining, "check_reach", lambda _: iter(down))
    with pytest.raises(CommandError, match="The settings are in"):
        call_command("node", "join", a_token(), stdout=StringIO())
    assert (tmp_path / "node.env").exists()


def test_reach_is_checked_by_connecting() -> None:
    nowhere = {
        "WARPCOURT_DATABASE_URL": "postgres://warpcourt@127.0.0.1:9/warpcourt",
        "WARPCOURT_BROKER_URL": "redis://127.0.0.1:9/0",
    }
    assert [(found.check, found.stops) for found in joining.check_reach(nowhere)] == [
        ("database", True),
        ("broker", True),
    ]


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"public_url": ""}, "WARPCOURT_PUBLIC_URL"),
        ({"database_url": ""}, "--database-url-file"),
        (
            {"database_url": "postgres://w@postgres:5432/w"},
            "Other hosts cannot reach the database as postgres",
        ),
        ({"database_url": "postgres://w@127.0.0.1/w"}, "--database-url-file"),
        ({"broker_url": ""}, "--broker-url-file"),
    ],
)
def test_an_invitation_needs_addresses_that_nodes_reach(
    settings, changes: dict[str, str], message: str
) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, **changes)
    with pytest.raises(CommandError, match=message):
        a_token()


@pytest.mark.usefixtures("public", "host")
def test_files_name_the_addresses_of_nodes(settings, tmp_path: Path) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, database_url="postgres://w@postgres/w")
    file = tmp_path / "url"
    file.write_text("postgres://w@10.0.0.5/w\n")
    call_command("node", "join", a_token("--database-url-file", str(file)), stdout=StringIO())
    assert "WARPCOURT_DATABASE_URL=postgres://w@10.0.0.5/w" in (tmp_path / "node.env").read_text()
    with pytest.raises(CommandError, match="Cannot read"):
        a_token("--database-url-file", str(tmp_path / "none"))
    file.write_text("mysql://db.example.org/x")
    with pytest.raises(CommandError, match="WARPCOURT_DATABASE_URL"):
        a_token("--database-url-file", str(file))


@pytest.mark.usefixtures("public")
def test_lifetimes_are_bounded() -> None:
    for hours in ("0", "-1", "169"):
        with pytest.raises(CommandError, match="--hours"):
            a_token(f"--hours={hours}")
