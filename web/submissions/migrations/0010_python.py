from django.db import migrations, models

LANGUAGES = ["cuda", "triton", "python"]


class Migration(migrations.Migration):
    dependencies = [("submissions", "0009_package")]

    operations = [
        migrations.AlterField(
            model_name="submission",
            name="language",
            field=models.CharField(choices=[(known, known) for known in LANGUAGES], max_length=8),
        ),
        migrations.RemoveConstraint(model_name="submission", name="submission_language_known"),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", LANGUAGES)), name="submission_language_known"
            ),
        ),
    ]
