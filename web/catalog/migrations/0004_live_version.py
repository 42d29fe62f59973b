import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0003_tag_and_recount"),
        ("packages", "0001_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="problem",
            name="package",
            field=models.ForeignKey(
                blank=True,
                help_text="The version that is live; empty until the packages are loaded.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="live_of",
                to="packages.packageversion",
            ),
        ),
    ]
