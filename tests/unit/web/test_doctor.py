"""Tests the doctor: every fault is found with its fix, and hides no other fault."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.db import DatabaseError
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from deploy.audit.finding import Finding, Level
from testing.services import free_port
from web import doctor
from web.config import ROOT, Config
from web.doctor import content, host, production, services, settings, work
from web.doctor.production import LINES, State, verify
from web.fleet.models import Node, Worker
from web.fleet.presence import WorkerReport, record_worker
from web.jobs.models import JobState
from web.site.version import version
from web.submissions.models import Job
from web.upkeep.models import Backup


@pytest.fixture
def config(tmp_path: Any) -> Config:
    return replace(Config.from_env({}), data_dir=tmp_path, target="scripted")


def levels(findings: Iterator[Finding]) -> dict[str, Level]:
    return {finding.check: finding.level for finding in findings}


def only(findings: Iterator[Finding], check: str) -> Finding:
    found = [finding for finding in findings if finding.check == check]
    assert len(found) == 1, found
    return found[0]


def a_worker(**more: Any) -> WorkerReport:
    return WorkerReport(
        node="node-1",
        name="node-1:1",
        instance=more.pop("instance", "first"),
        queues=("cpu",),
        concurrency=2,
        busy=0,
        version=more.pop("version", version()),
        **more,
    )


def test_a_site_for_one_needs_no_more_than_its_defaults(config: Config) -> None:
    assert set(levels(settings.check_settings(config)).values()) == {Level.OK}


def test_a_site_for_others_is_safe_or_named(config: Config) -> None:
    public = replace(
        config,
        public_url="http://court.example.org",
        debug=True,
        database_url="postgres://warpcourt@db/warpcourt",
    )
    found = levels(settings.check_settings(public))
    assert found == {
        "settings": Level.REFUSED,
        "address": Level.WEAK,
        "mail": Level.WEAK,
        "secret key": Level.WEAK,
    }
    behind = replace(public, public_url="https://court.example.org", debug=False, secret_key="kept elsewhere")
    assert levels(settings.check_settings(behind)) == {
        "address": Level.OK,
        "proxy": Level.WEAK,
        "mail": Level.WEAK,
    }


def test_room_and_rights_are_looked_at(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert only(host.check_space(config), "data directory").level is Level.OK
    gone = replace(config, data_dir=config.data_dir / "none")
    finding = only(host.check_space(gone), "data directory")
    assert finding.stops
    assert str(gone.data_dir) in finding.fix


def test_a_host_of_a_larger_site_needs_its_key_or_has_joined_as_a_node(config: Config) -> None:
    shared = replace(config, database_url="postgres://db.example.org/court", data_dir=Path("/nowhere"))
    finding = only(settings.check_settings(shared), "secret key")
    assert (finding.level, "node join" in finding.fix) == (Level.WEAK, True)
    for sound in (replace(shared, secret_key="kept elsewhere"), replace(shared, board_key="5a" * 32)):
        assert "secret key" not in levels(settings.check_settings(sound))


def test_the_scripted_judge_is_not_mistaken_for_a_real_one(config: Config) -> None:
    finding = only(host.check_judging(config), "judging")
    assert (finding.level, "made up" in finding.fix) == (Level.WEAK, True)


def test_a_broker_that_is_down_costs_time_and_is_named(config: Config) -> None:
    assert only(services.check_broker(config), "broker").level is Level.OK
    down = replace(config, broker_url=f"redis://127.0.0.1:{free_port()}/0")
    finding = only(services.check_broker(down), "broker")
    assert finding.stops
    assert "nothing is lost" in finding.fix


def test_an_address_that_nobody_answers_at_is_named(config: Config) -> None:
    url = f"https://127.0.0.1:{free_port()}"
    finding = only(services.check_address(replace(config, public_url=url)), "certificate")
    assert (finding.level, "proxy" in finding.fix) == (Level.WEAK, True)
    assert list(services.check_address(config)) == []


def test_a_replaced_certificate_is_reloaded_as_the_documentation_says(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "_days_left", lambda *_: 3)
    finding = only(services.check_address(replace(config, public_url="https://court.example")), "certificate")
    assert (finding.level, finding.found) == (Level.WEAK, "valid for 3 more days")
    command = finding.fix[finding.fix.index("docker compose") :]
    assert "--force" in command  # or Caddy ignores a new certificate at the same path
    assert f"`{command}`" in (ROOT / "docs" / "operations" / "install.md").read_text()


@pytest.mark.django_db
def test_a_database_that_does_not_answer_ends_what_rests_on_it(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise DatabaseError("connection refused\nis it running?")

    monkeypatch.setattr("web.doctor.services.connection.cursor", refuse)
    found = levels(doctor.examine(config))
    assert found["database"] is Level.MISSING
    assert not {"migrations", "workers", "queue", "staff"} & set(found)
    assert "broker" in found


def test_an_unreachable_database_is_reported_once(tmp_path: Path) -> None:
    url = f"postgres://nobody@127.0.0.1:{free_port()}/none"
    environ = {**os.environ, "WARPCOURT_DATABASE_URL": url, "WARPCOURT_DATA_DIR": str(tmp_path)}
    argv = [sys.executable, "manage.py", "doctor"]
    done = subprocess.run(argv, check=False, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert done.returncode == 1
    assert (done.stdout + done.stderr).count("Connection refused") == 1


@pytest.mark.django_db
def test_migrations_that_wait_are_named(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(services.check_migrations(config)) == {"migrations": Level.OK}
    migration = type("Migration", (), {"app_label": "fleet", "name": "0009_more"})
    plan = [(migration, False)]
    monkeypatch.setattr("web.doctor.services.MigrationExecutor.migration_plan", lambda *_: plan)
    finding = only(services.check_migrations(config), "migrations")
    assert finding.stops
    assert "fleet.0009_more" in finding.found
    assert "warpcourt-admin migrate" in finding.fix


@pytest.mark.django_db
def test_a_database_that_is_newer_than_the_code_is_named(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = MigrationRecorder.applied_migrations
    newer = {("fleet", "0099_later"): None}
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda self: real(self) | newer)
    weak = [finding for finding in services.check_migrations(config) if finding.level is Level.WEAK]
    assert "fleet.0099_later" in weak[0].found


@pytest.mark.django_db
def test_clocks_are_compared(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert only(services.check_clock(config), "clock").level is Level.OK
    ahead = timezone.now() + timedelta(minutes=5)
    monkeypatch.setattr("web.doctor.services.read_clock", lambda: ahead)
    finding = only(services.check_clock(config), "clock")
    assert (finding.level, "NTP" in finding.fix) == (Level.WEAK, True)


@pytest.mark.django_db
def test_problems_that_are_not_loaded_are_named(config: Config, tmp_path: Any) -> None:
    assert only(content.check_problems(config), "problems").level is Level.WEAK
    call_command("loadproblems", stdout=StringIO())
    assert only(content.check_problems(config), "problems").level is Level.OK
    empty = tmp_path / "problems"
    empty.mkdir()
    assert only(content.check_problems(replace(config, problems_dir=empty)), "problems").stops


@pytest.mark.django_db
def test_somebody_has_to_run_the_site(config: Config, django_user_model: Any) -> None:
    assert only(content.check_people(config), "staff").level is Level.WEAK
    django_user_model.objects.create_superuser("staff", password="correct horse battery")
    assert only(content.check_people(config), "staff").level is Level.OK


@pytest.mark.django_db
def test_backups_grow_old(config: Config) -> None:
    assert only(content.check_backups(config), "backup").found == "no backup found"
    latest = Backup.objects.create(name="nightly", size_bytes=1, took_ms=1)
    assert only(content.check_backups(config), "backup").level is Level.OK
    Backup.objects.update(made=latest.made - timedelta(days=9))
    assert only(content.check_backups(config), "backup").found == "the latest backup is 9 days old"
    assert list(content.check_backups(replace(config, backup_max_age_h=0))) == []


@pytest.mark.django_db
def test_without_a_worker_nothing_is_judged(config: Config) -> None:
    finding = only(work.check_workers(config), "workers")
    assert finding.stops
    record_worker(a_worker())
    assert only(work.check_workers(config), "workers").found == "1, for 2 submissions at a time"


@pytest.mark.django_db
def test_workers_of_several_versions_and_lost_ones_are_named(config: Config) -> None:
    record_worker(a_worker())
    record_worker(a_worker(instance="second", version="0.0.1"))
    said = [finding.found for finding in work.check_workers(config)]
    assert any("0.0.1" in found for found in said)
    Worker.objects.update(heartbeat=timezone.now() - timedelta(hours=1))
    said = [finding.found for finding in work.check_workers(config)]
    assert "none" in said
    assert any("has stopped reporting" in found for found in said)


@pytest.mark.django_db
def test_a_drained_node_is_named_with_its_reason(config: Config) -> None:
    record_worker(a_worker())
    Node.objects.update(drained=True, drain_reason="new fans", drained_since=timezone.now())
    weak = [finding for finding in work.check_workers(config) if finding.check == "nodes"]
    assert weak[0].found == "node-1 is drained: new fans"
    assert "undrain node-1" in weak[0].fix


@pytest.mark.django_db
def test_a_job_that_nobody_looks_after_is_named(config: Config, handed_in: Any, owner: Any) -> None:
    assert levels(work.check_sweeps(config)) == {"sweeps": Level.OK}
    handed_in(owner)
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.update(state=JobState.LEASED, attempt=1, lease_until=long_ago, worker="gone")
    finding = only(work.check_sweeps(config), "sweeps")
    assert finding.stops
    assert "sweeper" in finding.fix


@pytest.mark.django_db
def test_what_waits_for_long_or_for_nobody_is_named(config: Config, handed_in: Any, owner: Any) -> None:
    handed_in(owner)
    Job.objects.update(queued=timezone.now() - timedelta(hours=1))
    weak = [finding.found for finding in work.check_queues(config) if finding.level is Level.WEAK]
    assert any("the oldest for 36" in found for found in weak)
    assert any("which no worker serves" in found for found in weak)


def test_a_check_that_fails_hides_no_other(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    def check_broken(_: Config) -> Iterator[Finding]:
        raise RuntimeError("what nobody foresaw")

    monkeypatch.setattr(doctor, "_ALONE", (check_broken, host.check_space))
    monkeypatch.setattr(doctor, "_GROUND", ())
    monkeypatch.setattr(doctor, "_ABOVE", ())
    found = list(doctor.examine(config))
    assert [finding.check for finding in found] == ["broken", "data directory"]
    assert "what nobody foresaw" in found[0].found


@pytest.mark.django_db
def test_the_command_prints_fixes_and_says_so_by_its_status() -> None:
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", stdout=out)
    assert ended.value.code == 1
    assert "missing workers" in out.getvalue()
    assert "fix: start one" in out.getvalue()
    record_worker(a_worker())
    out = StringIO()
    call_command("doctor", "--json", stdout=out)
    assert {"check", "level", "found", "fix"} == set(json.loads(out.getvalue())[0])


def states(findings: list[Finding]) -> dict[str, State]:
    return {verified.line.id: verified.state for verified in verify(findings)}


def test_the_checklist_and_its_page_have_the_same_lines() -> None:
    page = (ROOT / "docs/production.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert [(line.id, line.requirement) for line in LINES] == [(row[0], row[1]) for row in rows]
    for line, (_, _, by) in zip(LINES, rows, strict=True):
        assert by.startswith("`doctor`" if line.checks else "you: ")


def test_each_line_is_verified_by_findings_that_exist() -> None:
    sources = [path.read_text() for path in (ROOT / "web/doctor").glob("*.py")]
    named = {name for source in sources for name in re.findall(r'Finding\(\s*"([a-z -]+)"', source)}
    assert {check for line in LINES for check in line.checks} <= named
    assert all(line.action for line in LINES if not line.checks)


def test_a_line_takes_the_worst_of_its_findings() -> None:
    good = Finding("database", Level.OK, "PostgreSQL")
    slow = Finding("database", Level.WEAK, "slow", "look at its host")
    line = next(v for v in verify([good, slow]) if v.line.id == "postgresql")
    assert (line.state, line.found, line.action) == (State.FIX, "slow", "look at its host")
    assert states([good])["postgresql"] is State.OK


def test_no_line_is_well_that_was_not_checked() -> None:
    found = states([Finding("database", Level.MISSING, "down", "start it")])
    assert {found[name] for name in ("workers", "nodes", "second-factor", "postgresql")} == {State.FIX}
    assert found["gpu-hosts"] is State.YOURS
    sound = states([Finding("database", Level.OK, "up")])
    assert sound["nodes"] is State.OK  # reports faults only
    assert sound["isolation"] is State.YOURS
    assert sound["certificate"] is State.FIX


def test_production_needs_more_than_a_site_for_one(config: Config) -> None:
    assert set(levels(production.check_production_settings(config)).values()) == {Level.WEAK}
    public = replace(
        config,
        public_url="https://court.example.org",
        trusted_proxies=1,
        secret_key="kept elsewhere",
        email_url="smtp://mail.example.org",
        broker_url="redis://redis:6379/0",
        metrics_token="a token",
        log_format="json",
    )
    assert set(levels(production.check_production_settings(public)).values()) == {Level.OK}


def test_superusers_have_a_second_factor(config: Config, django_user_model: Any) -> None:
    root = django_user_model.objects.create_superuser("root", password="a long password 1")
    finding = only(production.check_second_factors(config), "second-factor")
    assert finding.level is Level.WEAK
    assert "root" in finding.found
    Authenticator.objects.create(user=root, type=Authenticator.Type.RECOVERY_CODES, data={})
    assert only(production.check_second_factors(config), "second-factor").level is Level.WEAK
    Authenticator.objects.create(user=root, type=Authenticator.Type.TOTP, data={})
    assert only(production.check_second_factors(config), "second-factor").level is Level.OK


def test_the_command_prints_every_line_of_the_checklist() -> None:
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", "--production", stdout=out)
    for line in LINES:
        assert re.search(rf"^(ok|fix|you check this) +{line.id} ", out.getvalue(), re.MULTILINE)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", "--production", "--json", stdout=out)
    assert [entry["line"]["id"] for entry in json.loads(out.getvalue())] == [line.id for line in LINES]
