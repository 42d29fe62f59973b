from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0003_tag_and_recount"),
        ("leaderboards", "0003_rankings"),
        ("submissions", "0004_report_gave_up"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="best",
            name="best_by_score",
        ),
        migrations.AddIndex(
            model_name="best",
            index=models.Index(
                condition=models.Q(("current", True)),
                fields=["problem", "version", "gpu_model", "language", "score_us"],
                include=("id", "user", "handed_in", "submission", "score_low_us", "score_high_us"),
                name="best_by_place",
            ),
        ),
    ]
