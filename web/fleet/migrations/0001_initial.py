import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Node",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120, unique=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("serving", "Serving"), ("troubled", "Troubled"), ("stopped", "Stopped")],
                        default="serving",
                        max_length=8,
                    ),
                ),
                ("message", models.TextField(blank=True, help_text="What troubles it.")),
                ("versions", models.JSONField(default=dict)),
                ("heartbeat", models.DateTimeField(default=django.utils.timezone.now)),
                ("first_seen", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("has_service", models.BooleanField(db_default=True, default=True)),
                ("drained", models.BooleanField(db_default=False, default=False)),
                ("drain_reason", models.CharField(blank=True, db_default="", default="", max_length=200)),
                (
                    "drained_by",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Empty for the command line.",
                        max_length=30,
                    ),
                ),
                ("drained_since", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["serving", "troubled", "stopped"])),
                        name="node_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "troubled"), _negated=True),
                            models.Q(("message", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="node_troubled_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("drain_reason", ""), ("drained", False), ("drained_since__isnull", True)
                            ),
                            models.Q(
                                ("drained", True),
                                ("drained_since__isnull", False),
                                models.Q(("drain_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="node_drained_says_why",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Gpu",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uuid", models.CharField(max_length=64, unique=True)),
                ("minor", models.PositiveSmallIntegerField(help_text="The number of its device file.")),
                ("model", models.CharField(max_length=120)),
                ("memory_mib", models.PositiveIntegerField()),
                ("driver", models.CharField(max_length=40)),
                ("cuda", models.CharField(max_length=40)),
                ("capability", models.CharField(max_length=40, verbose_name="compute capability")),
                ("sm_mhz", models.PositiveIntegerField(blank=True, null=True)),
                ("memory_mhz", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "health",
                    models.CharField(
                        choices=[("well", "Well"), ("quarantined", "Quarantined"), ("missing", "Missing")],
                        default="well",
                        max_length=12,
                    ),
                ),
                ("reason", models.TextField(blank=True, help_text="Why it is not used.")),
                (
                    "since",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When its health last changed."
                    ),
                ),
                ("temperature_c", models.SmallIntegerField(blank=True, null=True)),
                ("checking", models.PositiveSmallIntegerField(default=0)),
                ("ranking", models.BooleanField(default=False)),
                ("waiting", models.PositiveSmallIntegerField(default=0)),
                ("calibration", models.JSONField(blank=True, default=dict)),
                ("hold_reason", models.CharField(blank=True, db_default="", default="", max_length=200)),
                (
                    "held_by",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Empty for the command line.",
                        max_length=30,
                    ),
                ),
                ("held_since", models.DateTimeField(blank=True, null=True)),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="gpus", to="fleet.node"
                    ),
                ),
            ],
            options={
                "verbose_name": "GPU",
                "ordering": ["node", "minor", "uuid"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("health__in", ["well", "quarantined", "missing"])),
                        name="gpu_health_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("health", "well"), ("reason", "")),
                            models.Q(
                                models.Q(("health", "well"), _negated=True),
                                models.Q(("reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="gpu_reason_where_not_well",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("held_since__isnull", True), ("hold_reason", "")),
                            models.Q(
                                models.Q(("hold_reason", ""), _negated=True), ("held_since__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="gpu_held_since",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("instance", models.CharField(max_length=32, unique=True)),
                ("queues", models.JSONField(default=list)),
                ("concurrency", models.PositiveSmallIntegerField(default=1)),
                ("busy", models.PositiveSmallIntegerField(default=0)),
                ("version", models.CharField(blank=True, max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[("serving", "Serving"), ("draining", "Draining"), ("stopped", "Stopped")],
                        default="serving",
                        max_length=8,
                    ),
                ),
                ("message", models.TextField(blank=True, help_text="What keeps it from judging.")),
                ("started", models.DateTimeField(default=django.utils.timezone.now)),
                ("heartbeat", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="workers", to="fleet.node"
                    ),
                ),
            ],
            options={
                "ordering": ["node", "name", "pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["serving", "draining", "stopped"])),
                        name="worker_state_known",
                    )
                ],
            },
        ),
    ]
