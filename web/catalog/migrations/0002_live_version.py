import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("catalog", "0001_initial"),
        ("packages", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="problem",
            name="package",
            field=models.ForeignKey(
                blank=True,
                help_text="The live version. Empty until the packages are loaded.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="live_of",
                to="packages.packageversion",
            ),
        ),
    ]
