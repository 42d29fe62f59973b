"""Checks of the work: workers, GPUs, queues, and the sweeps for jobs of lost workers."""

from datetime import timedelta

from deploy.audit.finding import Finding, Findings, Level, ok_if
from web.config import Config
from web.fleet.models import Gpu, Health
from web.fleet.queries import fleet
from web.fleet.queues import queues_now
from web.jobs.models import JobState
from web.site.clock import DatabaseNow
from web.submissions.models import Job
from web.submissions.queries import count_waiting, oldest_wait_s

_LONG_S = 120
_SWEEPS_LATE = 3


def check_workers(_config: Config) -> Findings:
    """Workers run, can judge, and have the same version."""
    nodes = fleet()
    live = [worker for node in nodes for worker in node.live_workers]
    yield Finding(
        "workers",
        ok_if(bool(live)),
        f"{len(live)}, for {sum(worker.concurrency for worker in live)} submissions at a time"
        if live
        else "none",
        "start one (docker compose up -d worker) and check its log; submissions wait until then",
    )
    for worker in live:
        if worker.message:
            fix = "follow the message on that host, then run there: warpcourt-admin doctor --judging"
            yield Finding("workers", Level.WEAK, f"{worker.name} cannot judge: {worker.message}", fix)
    versions = sorted({worker.version for worker in live})
    if len(versions) > 1:
        fix = "upgrade all of them: deploy/rolling-restart workers, on each host"
        yield Finding("workers", Level.WEAK, f"they run different versions: {', '.join(versions)}", fix)
    for at in nodes:
        if at.lost:
            fix = "check the host; if it is gone for good, delete it at /admin/fleet/node/"
            yield Finding("nodes", Level.WEAK, f"{at.node.name} has stopped reporting", fix)
        elif at.node.drained:
            fix = f"when it may take jobs again, run: warpcourt-admin undrain {at.node.name}"
            yield Finding("nodes", Level.WEAK, f"{at.node.name} is drained: {at.node.drain_reason}", fix)


def check_gpus(_config: Config) -> Findings:
    """GPUs that are out of use."""
    for gpu in Gpu.objects.exclude(health=Health.WELL).select_related("node"):
        why = gpu.hold_reason or gpu.reason or gpu.health
        repair = "fix the cause; see docs/operations/gpu-hosts.md"
        fix = "release the GPU at /fleet" if gpu.hold_reason else repair
        yield Finding("gpus", Level.WEAK, f"{gpu.model} {gpu.minor} of {gpu.node.name}: {why}", fix)


def check_queues(_config: Config) -> Findings:
    """No submission waits for long, or for hardware that no worker has."""
    oldest_s, waiting = oldest_wait_s(), count_waiting()
    yield Finding(
        "queue",
        ok_if(oldest_s < _LONG_S, Level.WEAK),
        f"{waiting} submissions waiting" + (f", the oldest for {oldest_s:.0f} s" if waiting else ""),
        "start more workers, or check at /staff/queue what they judge",
    )
    for queue in queues_now(fleet()):
        if queue.forsaken:
            fix = "start a worker with that hardware, or ask the authors to choose other hardware"
            found = f"{queue.waiting} submissions wait for {queue.queue}, which no worker serves"
            yield Finding("queue", Level.WEAK, found, fix)


def check_sweeps(config: Config) -> Findings:
    """No lease expired long ago: sweeps requeue the jobs of lost workers."""
    late = timedelta(seconds=_SWEEPS_LATE * config.sweep_s + config.lease_s)
    left = Job.objects.filter(state=JobState.LEASED, lease_until__lt=DatabaseNow() - late).count()
    yield Finding(
        "sweeps",
        ok_if(not left),
        f"{left} jobs of dead workers were not requeued" if left else "no job is left behind",
        "start a worker or the sweeper (docker compose up -d sweeper): no process sweeps",
    )
