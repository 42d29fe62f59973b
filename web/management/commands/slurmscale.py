"""`manage.py slurmscale`: submit, cancel and drain workers of a Slurm cluster as the queue grows and shrinks.

Theory of operation. Every few seconds one round reads the number of unfinished jobs from the database, the
workers from Slurm's queue, and from the fleet which of them are busy or draining. `deploy.slurm.scaling`
decides. Nothing is stored, so a new process continues where another ended; only the cool-downs begin again.
Several processes at once do no harm. If the database or Slurm does not answer, the round does nothing. The
workers continue when this process ends.
"""

import signal
import time
from argparse import ArgumentParser
from pathlib import Path
from threading import Event
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from deploy.slurm.scaling import Bounds, Phase, Plan, WorkerJob, decide
from deploy.slurm.scheduler import QueuedJob, Slurm, SlurmUnavailable, submission
from web.fleet.models import Duty
from web.fleet.queries import fleet
from web.jobs.queries import host_of, tasks_held, unfinished
from web.setting import ROOT
from web.site.databases import DATABASE_AWAY

log = structlog.get_logger(__name__)

SCRIPT = ROOT / "deploy" / "slurm" / "worker.sbatch"


class Command(BaseCommand):
    help = "Keep as many workers in a Slurm cluster as the queue needs, until Ctrl-C or SIGTERM."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("settings_file", metavar="SETTINGS", type=Path, help="shared file with the settings of workers")
        add("--pool", default="gpu", help="name of the pool, for its jobs in Slurm; default: %(default)s")
        add("--queues", default="gpu", help="queues to count, separated by commas; default: %(default)s")
        add("--floor", type=int, default=0, help="least number of workers; default: %(default)s")
        add("--ceiling", type=int, default=1, help="greatest number of workers; default: %(default)s")
        add("--jobs-per-worker", type=int, default=2, help="unfinished jobs per worker; default: %(default)s")
        add("--cooldown-s", type=float, default=300.0, help="idle time before a drain; default: %(default)s")
        add("--interval-s", type=float, default=10.0, help="seconds between rounds; default: %(default)s")
        add("--sbatch", action="append", default=[], help="option for sbatch. Repeatable")
        add("--once", action="store_true", help="end after one round")

    def handle(self, *_: object, **options: Any) -> None:
        names = ("floor", "ceiling", "jobs_per_worker", "cooldown_s")
        try:
            bounds = Bounds(**{name: options[name] for name in names})
        except ValueError as error:
            raise CommandError(str(error)) from error
        queues = [name for name in map(str.strip, options["queues"].split(",")) if name]
        if not queues or options["interval_s"] <= 0:
            raise CommandError("Give at least one queue, and an interval above 0.")
        argv = submission(options["sbatch"], SCRIPT, options["settings_file"].absolute())
        autoscaler = Autoscaler(Slurm(f"warpcourt-{options['pool']}", argv), queues, bounds)
        stop = Event()
        if options["once"]:
            autoscaler.round()
            return
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            autoscaler.round()
            stop.wait(options["interval_s"])


class Autoscaler:
    """Keeps the workers of one pool. It remembers since when each is idle, and nothing else."""

    def __init__(self, slurm: Slurm, queues: list[str], bounds: Bounds) -> None:
        self._slurm, self._queues, self._bounds = slurm, queues, bounds
        self._idle_since: dict[int, float] = {}

    def round(self) -> None:
        """Run one round. If the database or Slurm does not answer, log that and change nothing."""
        try:
            waiting = unfinished(self._queues)
            workers = self._workers(self._slurm.jobs())
            plan = decide(waiting, workers, self._bounds)
            if plan != Plan():
                log.info(
                    "workers_scaled",
                    unfinished=waiting,
                    workers=len(workers),
                    submit=plan.submit,
                    cancel=plan.cancel,
                    drain=plan.drain,
                )
                self._follow(plan)
        except SlurmUnavailable as error:
            log.warning("slurm_unavailable", error=str(error))
        except DATABASE_AWAY as error:
            log.warning("queue_not_read", error=str(error))
        finally:
            connections.close_all()

    def _follow(self, plan: Plan) -> None:
        if plan.cancel:
            self._slurm.cancel(plan.cancel)
        if plan.drain:
            self._slurm.drain(plan.drain)
        for _ in range(plan.submit):
            log.info("worker_submitted", job=self._slurm.submit())

    def _workers(self, jobs: list[QueuedJob]) -> list[WorkerJob]:
        """Return the jobs with what the fleet and the leases say about their nodes."""
        now = time.monotonic()
        nodes = {at.node.name: at for at in fleet()}
        leased = {host_of(task.worker) for task in tasks_held()}
        workers = []
        for job in jobs:
            at = nodes.get(job.node)
            live = at.live_workers if at else ()
            hosts = {job.node, *(host_of(worker.name) for worker in live)}
            busy = bool(leased & hosts) or any(worker.busy for worker in live)
            draining = bool(live) and all(worker.state == Duty.DRAINING for worker in live)
            idle = job.phase is Phase.RUNNING and not busy
            since = self._idle_since.get(job.job_id, now) if idle else now
            workers.append(WorkerJob(job.job_id, job.phase, busy, draining, now - since))
        self._idle_since = {one.job_id: now - one.idle_s for one in workers}
        return workers
