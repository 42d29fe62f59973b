from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("authoring", "0002_excluded_hosts"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="proofrun",
            name="proof_run_kind_known",
        ),
        migrations.AlterField(
            model_name="proofrun",
            name="kind",
            field=models.CharField(
                choices=[("proof", "Proof"), ("trial", "Trial"), ("preview", "Preview")], max_length=7
            ),
        ),
        migrations.AlterField(
            model_name="proofrun",
            name="holds",
            field=models.BooleanField(
                blank=True, help_text="Whether all is as expected. Empty until it is done.", null=True
            ),
        ),
    ]
