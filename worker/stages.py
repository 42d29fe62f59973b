"""What is counted of judging, at the places where the worker can see it."""

from collections.abc import Mapping

from judge.report import Stage
from web import metrics
from web.observability import tracing

_POOL = {"pool_hits_": metrics.POOL_HITS, "pool_misses_": metrics.POOL_MISSES}
_VAULT = {"vault_hits@": metrics.VAULT_HITS, "vault_misses@": metrics.VAULT_MISSES}


def count_stage(stage: Stage) -> None:
    """Count a stage that has just ended, and put it into the trace."""
    metrics.STAGE_SECONDS.labels(stage=stage.name).observe(stage.ms / 1000)
    tracing.passed(stage.name, stage.ms / 1000)


def count_ready(changes: Mapping[str, int]) -> None:
    """Count what was ready when a judgement wanted it: `changes` of a target's metrics, by their names."""
    for name, change in changes.items():
        for prefix, counter in _POOL.items():
            if name.startswith(prefix):
                counter.labels(kind=name.removeprefix(prefix)).inc(change)
        for prefix, counter in _VAULT.items():
            if name.startswith(prefix):
                counter.inc(change)
