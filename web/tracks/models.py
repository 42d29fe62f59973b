"""Ordered paths of problems in the database. `loadproblems` and staff create them."""

from django.db import models
from django.db.models import F, Q

from web.catalog.models import Problem


class Track(models.Model):
    """An ordered path of problems. It comes from a file, from the problems' track days, or from staff.

    During its contest, from `contest_starts` until `contest_ends`, submissions to its problems are judged
    before all others.
    """

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=80)
    summary = models.CharField(max_length=200)
    description = models.TextField(blank=True, help_text="Markdown.")
    order = models.PositiveSmallIntegerField(default=100, help_text="Tracks with a lower number come first.")
    published = models.BooleanField(default=True, help_text="Only published tracks are shown.")
    contest_starts = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Start of the contest. Until its end, its submissions are judged first.",
    )
    contest_ends = models.DateTimeField(null=True, blank=True, help_text="End of the contest.")
    from_files = models.BooleanField(
        default=True, db_default=True, help_text="Whether `loadproblems` writes its texts and problems."
    )
    hours = models.PositiveSmallIntegerField(
        "hours needed",
        blank=True,
        default=0,
        db_default=0,
        help_text="Estimated time for all problems. Leave it empty if you have no estimate.",
    )
    prerequisites = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="The knowledge that learners need, one item on each line.",
    )
    outcomes = models.TextField(
        "what learners will be able to do",
        blank=True,
        default="",
        db_default="",
        help_text="One on each line. Begin each with a verb.",
    )
    problems = models.ManyToManyField(Problem, through="Entry", related_name="tracks")

    class Meta:
        ordering = ["order", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=Q(contest_starts__isnull=True, contest_ends__isnull=True)
                | Q(
                    contest_starts__isnull=False,
                    contest_ends__isnull=False,
                    contest_ends__gt=F("contest_starts"),
                ),
                name="track_contest_starts_and_ends",
                violation_error_message="Set a start and a later end, or leave both empty.",
            )
        ]

    def __str__(self) -> str:
        return self.title


class Entry(models.Model):
    """The position of a problem on a track. `day` is its scheduled day, if the track has days."""

    track = models.ForeignKey(Track, models.CASCADE, related_name="entries")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="entries")
    position = models.PositiveSmallIntegerField()
    day = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["track", "position"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["track", "position"], name="entry_position_once"),
            models.UniqueConstraint(fields=["track", "problem"], name="entry_problem_once"),
        ]

    def __str__(self) -> str:
        return f"{self.track_id}.{self.position}: {self.problem_id}"


class PlannedEntry(models.Model):
    """A problem that a track names, regardless of whether it exists. It comes from the curriculum.

    Pages show it as still to come until the viewer can see a problem with its slug on the track. `topic` and
    `section` describe a day, and are empty on tracks without days.
    """

    track = models.ForeignKey(Track, models.CASCADE, related_name="planned")
    position = models.PositiveSmallIntegerField()
    slug = models.SlugField(max_length=60)
    title = models.CharField(max_length=80)
    summary = models.CharField(max_length=200)
    day = models.PositiveSmallIntegerField(null=True, blank=True)
    topic = models.CharField(max_length=80, blank=True)
    section = models.CharField(max_length=80, blank=True)

    class Meta:
        ordering = ["track", "position"]
        verbose_name_plural = "planned entries"
        constraints = [
            models.UniqueConstraint(fields=["track", "position"], name="planned_entry_position_once"),
            models.UniqueConstraint(fields=["track", "slug"], name="planned_entry_slug_once"),
        ]

    def __str__(self) -> str:
        return f"{self.track_id}.{self.position}: {self.slug}"
