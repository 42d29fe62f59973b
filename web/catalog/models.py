"""The problems that the site shows. The live version is the original. `web.packages` keeps both in sync."""

from django.db import models
from django.utils import timezone

from problems import schema
from problems.parse import MAX_SIZE
from problems.value_rules import why_not_custom
from problems.vocabulary import Difficulty
from web.catalog.signature import from_row


class Problem(models.Model):
    """The public part of a problem package, for pages and the API. Users can open everything here."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    summary = models.CharField(max_length=300)
    difficulty = models.CharField(max_length=8, choices=[(d.value, d.value) for d in Difficulty])
    tags = models.JSONField(default=list)
    track_day = models.PositiveSmallIntegerField(null=True, blank=True)
    version = models.CharField(max_length=64, help_text="Changes with everything that can change a verdict.")
    package = models.ForeignKey(
        "packages.PackageVersion",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="live_of",
        help_text="The live version. Empty until the packages are loaded.",
    )
    statement = models.TextField(help_text="Markdown with TeX.")
    translations = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="The statement in other languages, by locale.",
    )
    editorial = models.TextField(
        blank=True, help_text="Markdown. Shown to users who have solved the problem or given up."
    )
    hints = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        blank=True,
        help_text="Markdown texts. Users open them one by one.",
    )
    starters = models.JSONField(default=dict, help_text="Starter code by language.")
    signature = models.JSONField(
        default=list, help_text="Arguments of solve: name, role, dtype, shape and values."
    )
    has_checker = models.BooleanField(
        default=False, db_default=False, help_text="Whether a checker decides which outputs are right."
    )
    samples = models.JSONField(default=list, help_text="Names, sizes and inputs of public cases.")
    limits = models.JSONField(default=dict, help_text="compile_s, case_s, memory_mib, source_kib.")
    tiers = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        blank=True,
        help_text="Percentages of the vendor baseline's speed. Each one that a time reaches is a point.",
    )
    requirements = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        blank=True,
        help_text="What an accepted program must meet: counter, relation, bound and explanation.",
    )
    score = models.JSONField(
        null=True,
        blank=True,
        help_text="The number that the checker gives: name, better, unit, and whether it ranks programs.",
    )
    on_personal_nodes = models.BooleanField(
        "runs on personal nodes",
        default=False,
        db_default=False,
        help_text="Whether users may run programs on their own nodes, which get its reference and checker.",
    )
    published = models.BooleanField(default=True, help_text="Only published problems are shown to users.")
    added = models.DateTimeField(default=timezone.now, editable=False)
    updated = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["track_day", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(difficulty__in=[d.value for d in Difficulty]),
                name="problem_difficulty_known",
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def ranks_by_score(self) -> bool:
        """Return whether programs are ranked by the checker's score instead of a time."""
        return bool(self.score and self.score["ranks"])

    @property
    def languages(self) -> list[str]:
        """Return the languages in which programs may be written."""
        return list(self.starters)

    @property
    def source_limit_bytes(self) -> int:
        """Return the maximum size of a source in bytes of UTF-8."""
        return int(self.limits["source_kib"]) * 1024

    @property
    def gpu_words(self) -> list[str]:
        """Return words in the names of the GPU models on which it is judged.

        An empty list means all models.
        """
        return list(self.limits.get("gpus") or [])

    @property
    def gpu_count(self) -> int:
        """Return the number of GPUs that a program uses, either all in one process, or one GPU per rank."""
        return int(self.limits.get("gpu_count", 1))

    @property
    def ranks(self) -> int:
        """Return the number of processes of a program."""
        return int(self.limits.get("ranks", 1))

    @property
    def asks_for_tests(self) -> bool:
        """Return whether submissions are tests of programs of the package."""
        return "least_killed" in self.limits

    @property
    def size_names(self) -> list[str]:
        """Return the names of its sizes, in the order of its samples."""
        return list(self.samples[0]["sizes"]) if self.samples else []

    @property
    def size_limits(self) -> dict[str, int]:
        """Return the greatest value of each size in a custom case, in the order of `size_names`."""
        declared = self.limits.get("sizes", {})
        return {name: int(declared.get(name, MAX_SIZE)) for name in self.size_names}

    @property
    def arguments(self) -> tuple[schema.Argument, ...]:
        """Return the arguments of `solve`, without tolerances."""
        return tuple(from_row(row) for row in self.signature)

    @property
    def custom_arguments(self) -> tuple[schema.Argument, ...]:
        """Return the arguments for which users may give values in runs, without scalars that are sizes."""
        if self.asks_for_tests:
            return ()
        known = self.arguments
        return tuple(
            argument
            for argument in known
            if not why_not_custom(argument, known, checker=self.has_checker)
            and (argument.value is None or argument.value.text not in self.size_names)
        )


class Tagging(models.Model):
    """A tag of a problem, as a row for searches. `Problem.tags` holds the same tags in order."""

    problem = models.ForeignKey(Problem, models.CASCADE, related_name="taggings")
    name = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "problem"], name="tagging_once")]

    def __str__(self) -> str:
        return self.name
