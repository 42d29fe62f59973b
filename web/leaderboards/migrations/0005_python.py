from django.db import migrations, models

LANGUAGES = ["cuda", "triton", "python"]


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0004_cover_places")]

    operations = [
        migrations.AlterField(
            model_name="best",
            name="language",
            field=models.CharField(choices=[(known, known) for known in LANGUAGES], max_length=8),
        ),
        migrations.RemoveConstraint(model_name="best", name="best_language_known"),
        migrations.AddConstraint(
            model_name="best",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", LANGUAGES)), name="best_language_known"
            ),
        ),
    ]
