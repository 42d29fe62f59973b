import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0008_submission_of_user_to_problem"),
        ("packages", "0001_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="package",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="What it is judged by.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="packages.packageversion",
            ),
        ),
    ]
