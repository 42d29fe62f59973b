"""The host audit: its levels, its two forms, its exit status."""

import json

import pytest

from deploy import check_environment
from deploy.audit import facts, host
from deploy.audit.docker_api import DockerDaemon
from deploy.audit.facts import GpuHost
from deploy.audit.finding import Finding, Level, graded
from deploy.check_environment import BUBBLEWRAP, DOCKER, audit


def audit_is(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    monkeypatch.setattr(check_environment, "audit", lambda **_: iter(findings))


def test_the_fix_stands_below_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    audit_is(
        monkeypatch,
        Finding("python", Level.OK, "3.11.2", "unneeded"),
        Finding("bubblewrap", Level.MISSING, "not found", "apt-get install bubblewrap"),
    )
    assert check_environment.main([]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split() == ["missing", "bubblewrap", "not", "found"]
    assert printed[2].strip() == "fix: apt-get install bubblewrap"
    assert "unneeded" not in "".join(printed)


def test_what_is_refused_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    audit_is(monkeypatch, Finding("containers", Level.REFUSED, "miner is privileged", "remove it"))
    assert check_environment.main([]) == 1
    assert "fix: remove it" in capsys.readouterr().out


def test_what_is_weak_does_not_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    audit_is(monkeypatch, Finding("clock", Level.WEAK, "not synchronised", "ntp"))
    assert check_environment.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"check": "clock", "level": "weak", "found": "not synchronised", "fix": "ntp"}
    ]


@pytest.mark.parametrize(
    ("gpu_host", "isolation", "checked"),
    [
        (False, BUBBLEWRAP, {"bubblewrap", "isolation"}),
        (False, DOCKER, {"containers"}),
        (True, BUBBLEWRAP, {"bubblewrap", "isolation", "gpu access"}),
        (True, DOCKER, {"bubblewrap", "containers", "gpu access"}),
    ],
)
def test_a_host_is_checked_for_the_isolation_that_it_uses(
    monkeypatch: pytest.MonkeyPatch, gpu_host: bool, isolation: str, checked: set[str]
) -> None:
    absent = DockerDaemon(trouble="no socket")
    monkeypatch.setattr(check_environment, "ask_engine", lambda: absent)
    monkeypatch.setattr(facts, "gather", lambda: GpuHost(engine=absent))
    found = {finding.check: finding for finding in audit(gpu_host=gpu_host, isolation=isolation)}
    assert found.keys() & {"bubblewrap", "isolation", "containers", "images", "gpu access"} == checked


def test_a_host_with_containers_judges_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    (finding,) = host.check_explanations()
    assert (finding.level, finding.found) == (Level.WEAK, "not found")


def test_an_absent_program_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    (finding, *_) = host.check_bubblewrap()
    assert (finding.level, finding.found) == (Level.MISSING, "not found")
    assert "bubblewrap" in finding.fix


def test_space_is_graded() -> None:
    grades = [graded(value, 1.0, 2.0) for value in (0.5, 1.5, 2.0)]
    assert grades == [Level.MISSING, Level.WEAK, Level.OK]
