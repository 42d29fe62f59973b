"""Nodes, their workers and GPUs as they last reported themselves, and what staff ordered about them.

Nodes and workers write what they are; staff write what is drained and what is held. Neither writes the
other's columns, so that no report undoes an order.
"""

from django.db import models
from django.db.models import Q
from django.utils import timezone

NAME_CHARACTERS = 120
UUID_CHARACTERS = 64
VERSION_CHARACTERS = 40
REASON_CHARACTERS = 200
PERSON_CHARACTERS = 30
INSTANCE_CHARACTERS = 32


class NodeState(models.TextChoices):
    """What a node says of itself. A node that says nothing any more is lost; see `queries`."""

    SERVING = "serving"
    TROUBLED = "troubled"
    STOPPED = "stopped"


class Node(models.Model):
    """A host that judges. `versions` maps the names of its tools to their versions.

    `state`, `message`, `versions` and `heartbeat` are those of its node service. A host without GPUs has
    none (`has_service`), and lives as long as its workers do. While `drained`, no worker on it takes
    anything more.
    """

    name = models.CharField(max_length=NAME_CHARACTERS, unique=True)
    state = models.CharField(max_length=8, choices=NodeState.choices, default=NodeState.SERVING)
    message = models.TextField(blank=True, help_text="Current problem of the node.")
    versions = models.JSONField(default=dict)
    heartbeat = models.DateTimeField(default=timezone.now)
    first_seen = models.DateTimeField(default=timezone.now, editable=False)
    has_service = models.BooleanField(default=True, db_default=True)
    drained = models.BooleanField(default=False, db_default=False)
    drain_reason = models.CharField(max_length=REASON_CHARACTERS, blank=True, default="", db_default="")
    drained_by = models.CharField(
        max_length=PERSON_CHARACTERS,
        blank=True,
        default="",
        db_default="",
        help_text="Empty if done on the command line.",
    )
    drained_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=NodeState.values), name="node_state_known"),
            models.CheckConstraint(
                condition=~Q(state=NodeState.TROUBLED.value) | ~Q(message=""), name="node_troubled_says_why"
            ),
            models.CheckConstraint(
                condition=Q(drained=False, drain_reason="", drained_since__isnull=True)
                | (Q(drained=True, drained_since__isnull=False) & ~Q(drain_reason="")),
                name="node_drained_says_why",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Duty(models.TextChoices):
    """What a worker says of itself. `draining`: it finishes what it judges, and takes nothing more."""

    SERVING = "serving"
    DRAINING = "draining"
    STOPPED = "stopped"


class Worker(models.Model):
    """A worker's main process. `name` is for people, `instance` is this run of it.

    `busy` of its `concurrency` children judge now. `queues` are the hardware classes that it takes from.
    """

    node = models.ForeignKey(Node, models.CASCADE, related_name="workers")
    name = models.CharField(max_length=NAME_CHARACTERS)
    instance = models.CharField(max_length=INSTANCE_CHARACTERS, unique=True)
    queues = models.JSONField(default=list)
    concurrency = models.PositiveSmallIntegerField(default=1)
    busy = models.PositiveSmallIntegerField(default=0)
    version = models.CharField(max_length=VERSION_CHARACTERS, blank=True)
    state = models.CharField(max_length=8, choices=Duty.choices, default=Duty.SERVING)
    message = models.TextField(blank=True, help_text="Why the worker cannot judge.")
    started = models.DateTimeField(default=timezone.now)
    heartbeat = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["node", "name", "pk"]
        constraints = [models.CheckConstraint(condition=Q(state__in=Duty.values), name="worker_state_known")]

    def __str__(self) -> str:
        return self.name


class Health(models.TextChoices):
    """Whether a GPU is used. `missing`: its node no longer sees it."""

    WELL = "well"
    QUARANTINED = "quarantined"
    MISSING = "missing"


class Gpu(models.Model):
    """A GPU of a node. `checking` and `waiting` count leases; clocks are the highest it has.

    `calibration` is what its trusted clock measured: bandwidth, matrix rate, overhead. `hold_reason` says why
    staff keep it out of use, and is empty where they do not; its node obeys within seconds, and `health` then
    says so.
    """

    node = models.ForeignKey(Node, models.CASCADE, related_name="gpus")
    uuid = models.CharField(max_length=UUID_CHARACTERS, unique=True)
    minor = models.PositiveSmallIntegerField(help_text="Number of the device file.")
    model = models.CharField(max_length=NAME_CHARACTERS)
    memory_mib = models.PositiveIntegerField()
    driver = models.CharField(max_length=VERSION_CHARACTERS)
    cuda = models.CharField(max_length=VERSION_CHARACTERS)
    capability = models.CharField("compute capability", max_length=VERSION_CHARACTERS)
    sm_mhz = models.PositiveIntegerField(null=True, blank=True)
    memory_mhz = models.PositiveIntegerField(null=True, blank=True)
    health = models.CharField(max_length=12, choices=Health.choices, default=Health.WELL)
    reason = models.TextField(blank=True, help_text="Why the GPU is out of use.")
    since = models.DateTimeField(default=timezone.now, help_text="When the health of the GPU last changed.")
    temperature_c = models.SmallIntegerField(null=True, blank=True)
    checking = models.PositiveSmallIntegerField(default=0)
    ranking = models.BooleanField(default=False)
    waiting = models.PositiveSmallIntegerField(default=0)
    calibration = models.JSONField(default=dict, blank=True)
    hold_reason = models.CharField(max_length=REASON_CHARACTERS, blank=True, default="", db_default="")
    held_by = models.CharField(
        max_length=PERSON_CHARACTERS,
        blank=True,
        default="",
        db_default="",
        help_text="Empty if done on the command line.",
    )
    held_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["node", "minor", "uuid"]
        verbose_name = "GPU"
        constraints = [
            models.CheckConstraint(condition=Q(health__in=Health.values), name="gpu_health_known"),
            models.CheckConstraint(
                condition=Q(health=Health.WELL.value, reason="")
                | (~Q(health=Health.WELL.value) & ~Q(reason="")),
                name="gpu_reason_where_not_well",
            ),
            models.CheckConstraint(
                condition=Q(hold_reason="", held_since__isnull=True)
                | (~Q(hold_reason="") & Q(held_since__isnull=False)),
                name="gpu_held_since",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.uuid}"
