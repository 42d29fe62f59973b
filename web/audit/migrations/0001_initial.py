import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Act",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "actor_name",
                    models.CharField(blank=True, help_text="Empty for the command line.", max_length=30),
                ),
                ("kind", models.CharField(max_length=30)),
                ("target_kind", models.CharField(blank=True, max_length=30)),
                ("target_id", models.CharField(blank=True, max_length=40)),
                ("target_text", models.CharField(blank=True, max_length=200)),
                ("details", models.JSONField(blank=True, default=dict)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="acts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(fields=["kind", "-id"], name="act_by_kind"),
                    models.Index(fields=["actor_name", "-id"], name="act_by_actor"),
                    models.Index(fields=["target_kind", "target_id", "-id"], name="act_by_target"),
                ],
            },
        ),
    ]
