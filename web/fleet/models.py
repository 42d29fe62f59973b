"""Nodes, their workers and GPUs as they last reported themselves, and the orders of staff about them.

Nodes and workers write their own status. Staff write which nodes are drained and which GPUs are held. Neither
writes the columns of the other, so no report overwrites an order.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

NAME_CHARACTERS = 120
UUID_CHARACTERS = 64
VERSION_CHARACTERS = 40
REASON_CHARACTERS = 200
PERSON_CHARACTERS = 30
INSTANCE_CHARACTERS = 32
PERSONAL_NAME_CHARACTERS = 60


class NodeState(models.TextChoices):
    """The state that a node reports. A node that stops reporting is lost; see `queries`."""

    SERVING = "serving"
    TROUBLED = "troubled"
    STOPPED = "stopped"


class Node(models.Model):
    """A host that judges submissions. `versions` maps the names of its tools to their versions.

    `state`, `message`, `versions` and `heartbeat` come from its node service. A host without GPUs has no node
    service (`has_service`), and counts as live while one of its workers does. While a node is `drained`, its
    workers take no new submissions.
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
    """The state that a worker reports.

    `draining`: it finishes its current submissions and takes no new ones.
    """

    SERVING = "serving"
    DRAINING = "draining"
    STOPPED = "stopped"


class Worker(models.Model):
    """The main process of a worker. `name` is for display, `instance` identifies this run of the process.

    `busy` of its `concurrency` children are judging now. `queues` are the hardware classes that it serves.
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
    """The health of a GPU. `missing`: its node no longer detects it."""

    WELL = "well"
    QUARANTINED = "quarantined"
    MISSING = "missing"


class Gpu(models.Model):
    """A GPU of a node. `checking` and `waiting` count leases. Clocks are the maximum clocks.

    `calibration` is what the trusted clock measured: bandwidth, matrix rate, overhead. `hold_reason` says why
    staff hold the GPU, or is empty. The node obeys within seconds, and `health` then shows it.
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


class NodeInvitation(models.Model):
    """The part of a joining token that the site keeps; see `web.fleet.handshake`.

    The row is deleted when the token is used. `sealed` can be read only with the token.
    """

    token_id = models.CharField(max_length=16, unique=True)
    name = models.CharField(max_length=NAME_CHARACTERS, unique=True)
    proof_key = models.CharField(max_length=64)
    sealed = models.TextField()
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class PersonalNode(models.Model):
    """A machine of a user, which judges runs of that user only. Its verdicts never count.

    Such a node has no access to the database and the broker. It calls the API with a key, and the site keeps
    only the digest of the key. `joined` is empty until the node has joined. The node itself reports `version`
    and `hardware`.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="personal_nodes")
    name = models.CharField(max_length=PERSONAL_NAME_CHARACTERS)
    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(default=timezone.now, editable=False)
    joined = models.DateTimeField(null=True, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    invitation = models.OneToOneField(
        NodeInvitation, models.SET_NULL, null=True, blank=True, related_name="personal"
    )
    version = models.CharField(max_length=VERSION_CHARACTERS, blank=True, default="")
    hardware = models.CharField(max_length=NAME_CHARACTERS, blank=True, default="")

    class Meta:
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="personal_node_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def worker(self) -> str:
        """Return its name in jobs."""
        return f"personal-{self.pk}"
