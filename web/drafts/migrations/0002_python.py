from django.db import migrations, models

LANGUAGES = ["cuda", "triton", "python"]


class Migration(migrations.Migration):
    dependencies = [("drafts", "0001_drafts")]

    operations = [
        migrations.AlterField(
            model_name="draft",
            name="language",
            field=models.CharField(choices=[(known, known) for known in LANGUAGES], max_length=8),
        ),
        migrations.RemoveConstraint(model_name="draft", name="draft_language_known"),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", LANGUAGES)), name="draft_language_known"
            ),
        ),
    ]
