"""Tests alerts, dashboard and configuration for Prometheus and Grafana against the metrics in the code."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from deploy.observability.dashboard import ROWS, dashboard
from testing.services import need
from tests.unit.web.observability.families import every_family, series_of

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "deploy" / "observability"
RULES = [
    rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]
]
QUERIES = [query for panels in ROWS.values() for panel in panels for query in panel.lines.values()]
_INTERVAL = "5m"  # what Grafana puts in for its own


@pytest.fixture(scope="module")
def promtool() -> str:
    """The path of promtool."""
    found = shutil.which("promtool", path=str(ROOT / ".venv" / "bin")) or shutil.which("promtool")
    need(found is not None, "promtool", "deploy/setup --test")
    return str(found)


def check(promtool: str, *argv: str, folder: Path = FOLDER, given: str = "") -> None:
    """Run promtool, which must find nothing wrong."""
    done = subprocess.run(
        [promtool, *argv], cwd=folder, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def names_in(query: str) -> set[str]:
    """The metrics that a query asks for."""
    return set(re.findall(r"\bwarpcourt_\w+", query))


def known() -> set[str]:
    """Every series that there can be."""
    return {name for family in every_family().values() for name in series_of(family)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_asks_for_what_is_counted(rule: dict[str, Any]) -> None:
    assert names_in(rule["expr"]) <= known()
    assert names_in(rule["expr"]) or "up{job=" in rule["expr"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_has_a_section_that_says_what_to_do(rule: dict[str, Any]) -> None:
    path, _, anchor = rule["annotations"]["runbook"].partition("#")
    assert anchor == rule["alert"].lower()
    assert re.search(rf"^### {rule['alert']}\n\n\S", (ROOT / path).read_text(), re.MULTILINE)
    assert rule["labels"]["severity"] in {"warning", "critical"}


def test_every_section_is_for_an_alert() -> None:
    runbooks = (ROOT / "docs/operations/runbooks.md").read_text().partition("\n## Alerts\n")[2]
    sections = re.findall(r"^### (.+)$", runbooks.partition("\n## ")[0], re.MULTILINE)
    assert sections == [rule["alert"] for rule in RULES]


def test_jobs_that_alerts_name_are_asked_by_prometheus() -> None:
    asked = {
        job["job_name"] for job in yaml.safe_load((FOLDER / "prometheus.yml").read_text())["scrape_configs"]
    }
    assert {job for rule in RULES for job in re.findall(r'job="([^"]+)"', rule["expr"])} <= asked


def test_every_alert_has_been_seen_to_fire() -> None:
    seen = re.findall(r'alertname="(\w+)"', (FOLDER / "alerts.test.yml").read_text())
    assert sorted(seen) == sorted(rule["alert"] for rule in RULES)


def test_alerts_fire_when_they_should_and_not_otherwise(promtool: str) -> None:
    check(promtool, "check", "rules", "alerts.yml")
    check(promtool, "test", "rules", "alerts.test.yml")


def test_prometheus_takes_its_configuration(promtool: str, tmp_path: Path) -> None:
    for name in ("prometheus.yml", "alerts.yml"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "metrics-token").write_text("secret")
    check(promtool, "check", "config", "prometheus.yml", folder=tmp_path)


def test_the_dashboard_is_made_of_its_table() -> None:
    assert json.loads((FOLDER / "dashboard.json").read_text()) == dashboard()


def test_the_dashboard_asks_for_what_is_counted_in_words_that_prometheus_knows(
    promtool: str, tmp_path: Path
) -> None:
    for query in QUERIES:
        assert names_in(query)
        assert names_in(query) <= known(), query
    rules = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", _INTERVAL)}
        for number, query in enumerate(QUERIES)
    ]
    (tmp_path / "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    check(promtool, "check", "rules", "panels.yml", folder=tmp_path)


def test_whatever_is_counted_is_shown_or_watched() -> None:
    used = {name for text in (*QUERIES, *(rule["expr"] for rule in RULES)) for name in names_in(text)}
    assert [name for name, family in every_family().items() if not series_of(family) & used] == []


@pytest.mark.django_db
def test_prometheus_can_read_what_is_shown(promtool: str) -> None:
    shown = Client().get("/metrics").content.decode()
    check(promtool, "check", "metrics", given="\n".join(ours(shown)) + "\n")


def ours(shown: str) -> Iterator[str]:
    """The lines about our metrics: Python's own break a rule of promtool's."""
    for line in shown.splitlines():
        if re.match(r"(# \w+ )?warpcourt_", line):
            yield line
