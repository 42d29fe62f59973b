"""Nodes and their GPUs as they last reported themselves. Written by the nodes, read by staff."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

NAME_CHARACTERS = 120
UUID_CHARACTERS = 64
VERSION_CHARACTERS = 40


class State(models.TextChoices):
    """What a node says of itself. A node that says nothing any more is lost; see `queries`."""

    SERVING = "serving"
    TROUBLED = "troubled"
    STOPPED = "stopped"


class Node(models.Model):
    """A host that judges. `versions` maps the names of its tools to their versions."""

    name = models.CharField(max_length=NAME_CHARACTERS, unique=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.SERVING)
    message = models.TextField(blank=True, help_text="What troubles it.")
    versions = models.JSONField(default=dict)
    heartbeat = models.DateTimeField(default=timezone.now)
    first_seen = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="node_state_known"),
            models.CheckConstraint(
                condition=~Q(state=State.TROUBLED.value) | ~Q(message=""), name="node_troubled_says_why"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Health(models.TextChoices):
    """Whether a GPU is used. `missing`: its node no longer sees it."""

    WELL = "well"
    QUARANTINED = "quarantined"
    MISSING = "missing"


class Gpu(models.Model):
    """A GPU of a node. `checking` and `waiting` count leases; clocks are the highest it has.

    `calibration` is what its trusted clock measured: bandwidth, matrix rate, overhead.
    """

    node = models.ForeignKey(Node, models.CASCADE, related_name="gpus")
    uuid = models.CharField(max_length=UUID_CHARACTERS, unique=True)
    minor = models.PositiveSmallIntegerField(help_text="The number of its device file.")
    model = models.CharField(max_length=NAME_CHARACTERS)
    memory_mib = models.PositiveIntegerField()
    driver = models.CharField(max_length=VERSION_CHARACTERS)
    cuda = models.CharField(max_length=VERSION_CHARACTERS)
    capability = models.CharField("compute capability", max_length=VERSION_CHARACTERS)
    sm_mhz = models.PositiveIntegerField(null=True, blank=True)
    memory_mhz = models.PositiveIntegerField(null=True, blank=True)
    health = models.CharField(max_length=12, choices=Health.choices, default=Health.WELL)
    reason = models.TextField(blank=True, help_text="Why it is not used.")
    since = models.DateTimeField(default=timezone.now, help_text="When its health last changed.")
    temperature_c = models.SmallIntegerField(null=True, blank=True)
    checking = models.PositiveSmallIntegerField(default=0)
    ranking = models.BooleanField(default=False)
    waiting = models.PositiveSmallIntegerField(default=0)
    calibration = models.JSONField(default=dict, blank=True)

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
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.uuid}"
