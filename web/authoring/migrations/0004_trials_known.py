from django.db import migrations, models

from web.site.live_operations import AddCheckLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("authoring", "0003_trials"),
    ]

    operations = [
        AddCheckLive(
            model_name="proofrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["proof", "trial", "preview"])),
                name="proof_run_kind_known",
            ),
        ),
    ]
