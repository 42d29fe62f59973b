from django.db import migrations, models

from web.site.live_operations import AddCheckLive

KNOWN = models.Q(
    ("kind__in", ["reply", "answer", "decision", "report", "verdict", "offer", "handover", "role"])
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("notifications", "0006_roles"),
    ]

    operations = [
        AddCheckLive(
            model_name="notification",
            constraint=models.CheckConstraint(condition=KNOWN, name="notification_kind_known"),
        ),
        AddCheckLive(
            model_name="mailchoice",
            constraint=models.CheckConstraint(condition=KNOWN, name="mail_choice_kind_known"),
        ),
    ]
