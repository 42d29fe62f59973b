"""Imports have the columns of every kind of job."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("importing", "0002_scale")]

    operations = [
        migrations.RemoveIndex("importrun", "import_run_next"),
        migrations.RemoveConstraint("importrun", "import_run_state_known"),
        migrations.RemoveConstraint("importrun", "import_run_leased_until"),
        migrations.RenameField("importrun", "created", "queued"),
    ]
