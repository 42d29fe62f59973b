"""The response to Prometheus: the counts of this process and of the processes that serve with it."""

from collections.abc import Iterable
from pathlib import Path

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from web.observability import prometheus_multiproc

CONTENT_TYPE = CONTENT_TYPE_LATEST


def expose(folder: Path | None, more: Iterable[Collector] = ()) -> bytes:
    """All metrics in Prometheus's text format: those of `folder` (None: of this process) and of `more`."""
    registry = CollectorRegistry()
    for collector in more:
        registry.register(collector)
    if folder is None:
        registry.register(REGISTRY)
        return generate_latest(registry)
    counts = CollectorRegistry()
    MultiProcessCollector(counts, path=str(folder))  # type: ignore[no-untyped-call]  # has no types
    with prometheus_multiproc.compacted(folder):
        counted = generate_latest(counts)
    return counted + generate_latest(registry)  # outside the lock, because this waits for the database
