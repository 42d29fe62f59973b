"""Generates the Grafana dashboard from the table of panels below.

    python -m deploy.observability.dashboard > deploy/observability/dashboard.json

A test checks that the file is up to date.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_WIDTH, _HEIGHT = 8, 7  # size of a panel; Grafana has 24 columns
_COLUMNS = 24
_DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph. `lines` maps the name of a line to its query. `unit` is a unit of Grafana."""

    title: str
    lines: dict[str, str]
    unit: str = "short"
    stacked: bool = False


def _quantile(share: float, name: str, by: str = "") -> str:
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, sum by ({labels}) (rate({name}_bucket[$__rate_interval])))"


def _rate(name: str, by: str) -> str:
    return f"sum by ({by}) (rate({name}[$__rate_interval]))"


ROWS: dict[str, tuple[Panel, ...]] = {
    "Queues": (
        Panel(
            "Queued submissions",
            {"{{queue}}": 'max by (queue) (warpcourt_queue_jobs{state="queued"})'},
        ),
        Panel(
            "Age of the oldest queued submission",
            {"{{queue}}": "max by (queue) (warpcourt_queue_oldest_seconds)"},
            "s",
        ),
        Panel(
            "Queued background jobs",
            {"{{kind}}": 'max by (kind) (warpcourt_background_jobs{state="queued"})'},
        ),
        Panel(
            "Running background jobs",
            {"{{kind}}": 'max by (kind) (warpcourt_background_jobs{state="leased"})'},
        ),
        Panel(
            "Age of the oldest queued background job",
            {"{{kind}}": "max by (kind) (warpcourt_background_oldest_seconds)"},
            "s",
        ),
        Panel(
            "Time in the queue",
            {
                "{{queue}} median": _quantile(0.5, "warpcourt_wait_seconds", "queue"),
                "{{queue}} 95 %": _quantile(0.95, "warpcourt_wait_seconds", "queue"),
            },
            "s",
        ),
        Panel(
            "Submissions accepted into the queue",
            {"{{mode}} {{queue}}": _rate("warpcourt_submissions_total", "mode, queue")},
        ),
        Panel("Submissions refused", {"{{reason}}": _rate("warpcourt_submissions_refused_total", "reason")}),
        Panel("Notifications of workers", {"{{outcome}}": _rate("warpcourt_wakeups_total", "outcome")}),
    ),
    "Judging": (
        Panel("Verdicts", {"{{verdict}}": _rate("warpcourt_verdicts_total", "verdict")}, stacked=True),
        Panel(
            "Time from claim to verdict",
            {
                "median": _quantile(0.5, "warpcourt_judging_seconds"),
                "95 %": _quantile(0.95, "warpcourt_judging_seconds"),
            },
            "s",
        ),
        Panel(
            "Time of stages, 95th percentile",
            {"{{stage}}": _quantile(0.95, "warpcourt_stage_seconds", "stage")},
            "s",
        ),
        Panel(
            "Busy workers",
            {
                "{{worker}} busy": "max by (worker) (warpcourt_worker_busy)",
                "{{worker}} maximum": "max by (worker) (warpcourt_worker_concurrency)",
            },
        ),
        Panel(
            "Share of sandboxes that were ready",
            {
                "{{kind}}": (
                    "sum by (kind) (rate(warpcourt_pool_hits_total[$__rate_interval])) / "
                    "(sum by (kind) (rate(warpcourt_pool_hits_total[$__rate_interval])) + "
                    "sum by (kind) (rate(warpcourt_pool_misses_total[$__rate_interval])))"
                )
            },
            "percentunit",
        ),
        Panel(
            "Share of case contents that were generated in advance",
            {
                "secret_pool": (
                    "sum(rate(warpcourt_secret_pool_hits_total[$__rate_interval])) / "
                    "(sum(rate(warpcourt_secret_pool_hits_total[$__rate_interval])) + "
                    "sum(rate(warpcourt_secret_pool_misses_total[$__rate_interval])))"
                )
            },
            "percentunit",
        ),
    ),
    "Failures": (
        Panel(
            "Lost leases",
            {
                "{{instance}} {{reason}}": _rate("warpcourt_leases_lost_total", "instance, reason"),
                "expired, not swept yet": "max(warpcourt_leases_expired)",
                "{{instance}} hung processes": _rate("warpcourt_children_hung_total", "instance"),
            },
        ),
        Panel(
            "Failed writes of heartbeats and verdicts",
            {
                "{{instance}} leases": _rate("warpcourt_lease_extensions_failed_total", "instance"),
                "{{instance}} verdicts retried": _rate("warpcourt_record_retries_total", "instance"),
                "{{instance}} verdicts discarded": _rate("warpcourt_verdicts_discarded_total", "instance"),
                "{{instance}} heartbeats": _rate("warpcourt_heartbeats_failed_total", "instance"),
            },
        ),
        Panel(
            "Jobs returned to the queue",
            {
                "{{reason}}": _rate("warpcourt_jobs_returned_total", "reason"),
                "swept: {{outcome}}": _rate("warpcourt_jobs_swept_total", "outcome"),
            },
        ),
        Panel(
            "Failures of the judge",
            {
                "{{instance}} failed": _rate("warpcourt_judge_failures_total", "instance"),
                "{{instance}} cannot judge": _rate("warpcourt_cannot_judge_total", "instance"),
            },
        ),
        Panel(
            "Sweeps",
            {
                "{{outcome}}": _rate("warpcourt_sweeps_total", "outcome"),
            },
        ),
        Panel("Time of sweeps, 95th percentile", {"sweep": _quantile(0.95, "warpcourt_sweep_seconds")}, "s"),
        Panel("Age of the latest backup", {"backup": "min(warpcourt_backup_age_seconds)"}, "s"),
    ),
    "GPUs": (
        Panel(
            "GPUs in use (1) or out of use (0)",
            {"{{node}} {{model}} {{gpu}}": "min by (node, model, gpu) (warpcourt_gpu_well)"},
        ),
        Panel(
            "Submissions on a GPU",
            {
                "{{gpu}} checking": "max by (gpu) (warpcourt_gpu_checking)",
                "{{gpu}} ranking": "max by (gpu) (warpcourt_gpu_ranking)",
                "{{gpu}} waiting": "max by (gpu) (warpcourt_gpu_waiting)",
            },
        ),
        Panel("Temperature", {"{{gpu}}": "max by (gpu) (warpcourt_gpu_temperature_celsius)"}, "celsius"),
        Panel(
            "Quarantines and MPS restarts",
            {
                "{{gpu}} out of use": "sum by (gpu) (increase(warpcourt_gpu_quarantines_total[1h]))",
                "{{gpu}} MPS": "sum by (gpu) (increase(warpcourt_mps_restarts_total[1h]))",
            },
        ),
        Panel(
            "Time since the last heartbeat",
            {
                "{{node}}": "max by (node) (warpcourt_node_heartbeat_age_seconds)",
                "{{worker}}": 'max by (worker) (warpcourt_worker_heartbeat_age_seconds{state!="stopped"})',
            },
            "s",
        ),
        Panel(
            "Removed containers of dead workers",
            {"{{instance}}": "sum by (instance) (increase(warpcourt_orphans_reaped_total[1h]))"},
        ),
    ),
    "Pages": (
        Panel(
            "Requests",
            {"{{status}}": _rate("warpcourt_http_requests_total", "status")},
            "reqps",
            stacked=True,
        ),
        Panel(
            "Time of requests",
            {
                "median": _quantile(0.5, "warpcourt_http_request_seconds"),
                "95 %": _quantile(0.95, "warpcourt_http_request_seconds"),
                "99 %": _quantile(0.99, "warpcourt_http_request_seconds"),
            },
            "s",
        ),
        Panel(
            "Slowest pages, 95th percentile",
            {"{{view}}": f"topk(8, {_quantile(0.95, 'warpcourt_http_request_seconds', 'view')})"},
            "s",
        ),
        Panel(
            "In progress",
            {
                "event streams": "sum(warpcourt_event_streams)",
                "requests": "sum(warpcourt_http_requests_in_flight)",
                "judgements": "sum(warpcourt_judging)",
            },
        ),
    ),
}


def dashboard() -> dict[str, Any]:
    """Return the dashboard as JSON that Grafana can import."""
    return {
        "title": "Warpcourt",
        "uid": "warpcourt",
        "tags": ["warpcourt"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [
                {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
            ]
        },
        "panels": list(_panels()),
    }


def _panels() -> Iterator[dict[str, Any]]:
    number, top = 1, 0
    for title, panels in ROWS.items():
        yield {
            "id": number,
            "type": "row",
            "title": title,
            "collapsed": False,
            "panels": [],
            "gridPos": {"x": 0, "y": top, "w": _COLUMNS, "h": 1},
        }
        number, top = number + 1, top + 1
        for index, panel in enumerate(panels):
            down, across = divmod(index * _WIDTH, _COLUMNS)
            place = {"x": across, "y": top + down * _HEIGHT, "w": _WIDTH, "h": _HEIGHT}
            yield _graph(number, panel, place)
            number += 1
        top += _HEIGHT * -(-len(panels) * _WIDTH // _COLUMNS)


def _graph(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    custom: dict[str, Any] = {"lineWidth": 1, "fillOpacity": 10, "showPoints": "never"}
    if panel.stacked:
        custom["stacking"] = {"mode": "normal", "group": "A"}
    return {
        "id": number,
        "type": "timeseries",
        "title": panel.title,
        "datasource": _DATASOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0, "custom": custom}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + index), "datasource": _DATASOURCE, "expr": query, "legendFormat": name}
            for index, (name, query) in enumerate(panel.lines.items())
        ],
    }


if __name__ == "__main__":
    json.dump(dashboard(), sys.stdout, indent=2)
    sys.stdout.write("\n")
