"""Metrics that are read from the database at each scrape, instead of being counted.

All web processes return the same values, so scrape any of them, and use `max` over several. Ages use the
database's clock.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from django.db import DatabaseError
from django.db.models import Count, Min
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from web.fleet.models import Gpu, Health, Node, Worker
from web.jobs.models import CPU, OPEN, PERSONAL, JobState
from web.jobs.queries import kinds_now
from web.site.clock import DatabaseNow, read_clock
from web.submissions.models import Job
from web.upkeep.queries import backup_age_s

_GPU = ("node", "gpu", "model")
_FAMILIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "warpcourt_database_up": ("1 if the database responds, otherwise 0.", ()),
    "warpcourt_queue_jobs": ("Submissions by queue and state (`queued` or `leased`).", ("queue", "state")),
    "warpcourt_queue_oldest_seconds": ("Seconds that the oldest queued submission has waited.", ("queue",)),
    "warpcourt_background_jobs": (
        "Background jobs (proofs, previews, imports, dry-run rejudges) by kind and state.",
        ("kind", "state"),
    ),
    "warpcourt_background_oldest_seconds": (
        "Seconds that the oldest background job of a kind has waited.",
        ("kind",),
    ),
    "warpcourt_leases_expired": ("Expired leases that have not been swept yet.", ()),
    "warpcourt_node_heartbeat_age_seconds": (
        "Seconds since the last heartbeat of a node.",
        ("node", "state"),
    ),
    "warpcourt_worker_heartbeat_age_seconds": (
        "Seconds since the last heartbeat of a worker.",
        ("node", "worker", "state"),
    ),
    "warpcourt_worker_busy": ("Submissions that a worker is judging.", ("node", "worker")),
    "warpcourt_worker_concurrency": (
        "Maximum number of submissions that a worker judges at a time.",
        ("node", "worker"),
    ),
    "warpcourt_backup_age_seconds": ("Seconds since the latest backup; absent if there is none.", ()),
    "warpcourt_gpu_well": ("1 if the GPU is in use, 0 if it is quarantined or missing.", _GPU),
    "warpcourt_gpu_checking": ("Submissions being checked on the GPU.", _GPU),
    "warpcourt_gpu_ranking": ("1 while the GPU is reserved for timing one submission.", _GPU),
    "warpcourt_gpu_waiting": ("Submissions waiting for the GPU.", _GPU),
    "warpcourt_gpu_temperature_celsius": ("Latest temperature of the GPU.", _GPU),
}


class Census(Collector):
    """Reads the database at each scrape. If the database does not respond, a metric reports that."""

    def describe(self) -> Iterable[Metric]:
        """The metrics, without values and without a query."""
        return [_family(name) for name in _FAMILIES]

    def collect(self) -> Iterable[Metric]:
        """The metrics, as they are now."""
        try:
            now = read_clock()
            found = [*_queues(now), *_background(now), *_nodes(now), *_workers(now), *_gpus(), *_backups(now)]
        except DatabaseError:
            return [_single("warpcourt_database_up", 0)]
        return [_single("warpcourt_database_up", 1), *found]


def _queues(now: datetime) -> Iterator[Metric]:
    jobs, oldest = _family("warpcourt_queue_jobs"), _family("warpcourt_queue_oldest_seconds")
    ours = Job.objects.exclude(queue__startswith=PERSONAL)
    rows = ours.filter(state__in=OPEN).values_list("queue", "state")
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    ages: dict[str, float] = {}
    for queue, state, count, since in rows.annotate(Count("pk"), Min("queued")).order_by():
        counts[queue][state] = count
        if state == JobState.QUEUED:
            ages[queue] = _age_s(since, now)
    for queue in {CPU, *counts}:  # report zero for an empty queue too, so that its graph drops to zero
        for each in OPEN:
            jobs.add_metric([queue, each.value], counts[queue].get(each.value, 0))
        oldest.add_metric([queue], ages.get(queue, 0))
    yield from (jobs, oldest)
    expired = ours.filter(state=JobState.LEASED, lease_until__lt=DatabaseNow())
    yield _single("warpcourt_leases_expired", expired.count())


def _background(now: datetime) -> Iterator[Metric]:
    runs, oldest = _family("warpcourt_background_jobs"), _family("warpcourt_background_oldest_seconds")
    for entry in kinds_now():
        runs.add_metric([entry.kind, "queued"], entry.waiting)
        runs.add_metric([entry.kind, "leased"], entry.running)
        oldest.add_metric([entry.kind], _age_s(entry.oldest, now) if entry.oldest else 0)
    yield from (runs, oldest)


def _nodes(now: datetime) -> Iterator[Metric]:
    heard = _family("warpcourt_node_heartbeat_age_seconds")
    for name, state, heartbeat in Node.objects.values_list("name", "state", "heartbeat"):
        heard.add_metric([name, state], _age_s(heartbeat, now))
    yield heard


def _workers(now: datetime) -> Iterator[Metric]:
    heard = _family("warpcourt_worker_heartbeat_age_seconds")
    busy, concurrency = _family("warpcourt_worker_busy"), _family("warpcourt_worker_concurrency")
    for worker in Worker.objects.select_related("node"):
        names = [worker.node.name, worker.name]
        heard.add_metric([*names, worker.state], _age_s(worker.heartbeat, now))
        busy.add_metric(names, worker.busy)
        concurrency.add_metric(names, worker.concurrency)
    yield from (heard, busy, concurrency)


def _gpus() -> Iterator[Metric]:
    families = {name: _family(name) for name, (_, labels) in _FAMILIES.items() if labels is _GPU}
    for gpu in Gpu.objects.select_related("node"):
        figures = {
            "warpcourt_gpu_well": gpu.health == Health.WELL,
            "warpcourt_gpu_checking": gpu.checking,
            "warpcourt_gpu_ranking": gpu.ranking,
            "warpcourt_gpu_waiting": gpu.waiting,
            "warpcourt_gpu_temperature_celsius": gpu.temperature_c,
        }
        for name, figure in figures.items():
            if figure is not None:
                families[name].add_metric([gpu.node.name, gpu.uuid, gpu.model], figure)
    yield from families.values()


def _backups(now: datetime) -> Iterator[Metric]:
    age_s = backup_age_s(now)
    if age_s is not None:
        yield _single("warpcourt_backup_age_seconds", age_s)


def _family(name: str) -> GaugeMetricFamily:
    doc, labels = _FAMILIES[name]
    return GaugeMetricFamily(name, doc, labels=labels)


def _single(name: str, value: float) -> GaugeMetricFamily:
    family = _family(name)
    family.add_metric([], value)
    return family


def _age_s(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds())
