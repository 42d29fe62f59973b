"""Tracks that staff write in the browser."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the column. All present tracks come from files."""

    dependencies = [("tracks", "0001_initial")]

    operations = [
        migrations.AddField(
            "track",
            "from_files",
            models.BooleanField(
                db_default=True,
                default=True,
                help_text="Whether `loadproblems` writes its texts and problems.",
            ),
        ),
    ]
