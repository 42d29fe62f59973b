"""Jobs have the columns of every kind of job."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("submissions", "0010_python")]

    operations = [
        migrations.RemoveIndex("job", "job_next_of_queue"),
        migrations.RemoveIndex("job", "job_leased"),
        migrations.RemoveIndex("job", "job_in_order"),
        migrations.RemoveIndex("job", "job_of_user"),
        migrations.RemoveConstraint("job", "job_status_known"),
        migrations.RemoveConstraint("job", "job_leased_until"),
        migrations.RenameField("job", "status", "state"),
        migrations.RenameField("job", "turn", "fair_share_rank"),
    ]
