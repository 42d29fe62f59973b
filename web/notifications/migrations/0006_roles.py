from django.db import migrations, models

KINDS = [
    ("reply", "Replies in threads that you take part in"),
    ("answer", "Answers of instructors to your private questions"),
    ("decision", "Decisions about posts that you reported"),
    ("report", "Posts that users reported"),
    ("verdict", "Verdicts that a rejudge changed"),
    ("offer", "Offers of the ownership of a problem"),
    ("handover", "Answers to your offers of the ownership of a problem"),
    ("role", "Changes of your access to the files of a problem"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0005_handovers_known"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="notification",
            name="notification_kind_known",
        ),
        migrations.AlterField(
            model_name="notification",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=8),
        ),
        migrations.RemoveConstraint(
            model_name="mailchoice",
            name="mail_choice_kind_known",
        ),
        migrations.AlterField(
            model_name="mailchoice",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=8),
        ),
    ]
