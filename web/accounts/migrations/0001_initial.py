import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import web.accounts.models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        help_text="Shown to everyone.",
                        max_length=30,
                        unique=True,
                        validators=[
                            django.core.validators.MinLengthValidator(2),
                            django.core.validators.RegexValidator(
                                "\\A[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\\Z",
                                "Use letters a to z, digits, and . _ - between them.",
                            ),
                        ],
                    ),
                ),
                (
                    "email",
                    models.EmailField(
                        blank=True,
                        help_text="Optional. Only for resetting the password.",
                        max_length=254,
                        verbose_name="e-mail",
                    ),
                ),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="May see all submissions and the admin.",
                        verbose_name="staff",
                    ),
                ),
                (
                    "is_instructor",
                    models.BooleanField(
                        default=False,
                        help_text="May read all submissions, to teach.",
                        verbose_name="instructor",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Unset this instead of deleting people.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "profile_audience",
                    models.CharField(
                        choices=[
                            ("everybody", "Everybody"),
                            ("signed_in", "People who are signed in"),
                            ("nobody", "Nobody"),
                        ],
                        db_default="everybody",
                        default="everybody",
                        help_text="Who may see the profile.",
                        max_length=9,
                        verbose_name="profile",
                    ),
                ),
                (
                    "shows_activity",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        help_text="Whether the profile shows on which days there were submissions.",
                    ),
                ),
                (
                    "in_rankings",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        help_text="Whether leaderboards and the ranking show this person.",
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            managers=[
                ("objects", web.accounts.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(help_text="What it is for.", max_length=60)),
                (
                    "prefix",
                    models.CharField(
                        help_text="The beginning of the token, to tell it from others.", max_length=12
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "scope",
                    models.CharField(
                        choices=[("read", "Read"), ("submit", "Submit"), ("author", "Author")], max_length=8
                    ),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires", models.DateTimeField()),
                ("last_used", models.DateTimeField(editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created"],
            },
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("username"),
                name="user_username_any_case",
                violation_error_message="This name is taken.",
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(("profile_audience__in", ["everybody", "signed_in", "nobody"])),
                name="user_profile_audience_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(
                condition=models.Q(("scope__in", ["read", "submit", "author"])), name="api_token_scope_known"
            ),
        ),
    ]
