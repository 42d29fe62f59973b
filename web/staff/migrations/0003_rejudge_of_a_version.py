import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("staff", "0002_rejudges"),
        ("packages", "0001_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="hiddenrun",
            name="package",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="hidden_runs",
                to="packages.packageversion",
            ),
        ),
        migrations.AddField(
            model_name="rejudge",
            name="package",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rejudges",
                to="packages.packageversion",
            ),
        ),
    ]
