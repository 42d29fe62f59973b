"""Hidden runs have the columns of every kind of job."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("staff", "0003_rejudge_of_a_version")]

    operations = [
        migrations.RemoveIndex("hiddenrun", "hidden_run_next"),
        migrations.RemoveConstraint("hiddenrun", "hidden_run_state_known"),
        migrations.RemoveConstraint("hiddenrun", "hidden_run_leased_until"),
        migrations.RemoveConstraint("hiddenrun", "hidden_run_judged_has_report"),
    ]
