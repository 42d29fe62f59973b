import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Backup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "made",
                    models.DateTimeField(
                        db_index=True,
                        default=django.utils.timezone.now,
                        help_text="The moment that it holds.",
                    ),
                ),
                ("name", models.CharField(max_length=255)),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("took_ms", models.PositiveBigIntegerField()),
            ],
            options={
                "ordering": ["-made"],
            },
        ),
    ]
