"""Proofs and previews have the columns of every kind of job."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("authoring", "0001_workspaces")]

    operations = [
        migrations.RemoveIndex("proofrun", "proof_run_next"),
        migrations.RemoveConstraint("proofrun", "proof_run_state_known"),
        migrations.RemoveConstraint("proofrun", "proof_run_leased_until"),
        migrations.RenameField("proofrun", "created", "queued"),
    ]
