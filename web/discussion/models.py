"""Threads about problems, their posts, reports of posts, bans, and additional data of special threads."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import Language
from web.catalog.models import Problem
from web.submissions.models import Submission

TITLE_CHARACTERS = 120
TEXT_CHARACTERS = 10_000
REASON_CHARACTERS = 500
NOTE_CHARACTERS = 160
TECHNIQUE_CHARACTERS = 40


class ThreadKind(models.TextChoices):
    """The purpose of a thread, which decides who may read it.

    `discussion` is for users who solved the problem. `questions` is for all users who can see the problem,
    but during a contest only for users who solved it. `inquiry` is between the author of a submission and the
    instructors. The only post of a `solution` is the note of a submission in the gallery.
    """

    DISCUSSION = "discussion"
    QUESTIONS = "questions"
    INQUIRY = "inquiry"
    SOLUTION = "solution"


class Thread(models.Model):
    """A thread about a problem. Its first post opens it.

    `replies` and `latest` are derived from the posts that are neither hidden nor deleted.
    """

    kind = models.CharField(
        max_length=10,
        choices=ThreadKind.choices,
        default=ThreadKind.DISCUSSION,
        db_default=ThreadKind.DISCUSSION,
    )

    problem = models.ForeignKey(Problem, models.CASCADE, related_name="threads")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="threads"
    )
    title = models.CharField(max_length=TITLE_CHARACTERS)
    created = models.DateTimeField(default=timezone.now, editable=False)
    latest = models.DateTimeField(default=timezone.now, editable=False)
    replies = models.PositiveIntegerField(default=0, editable=False)
    shown = models.BooleanField(
        default=True, editable=False, help_text="Whether the thread has a visible post and is listed."
    )

    class Meta:
        ordering = ["-latest", "-pk"]
        indexes = [models.Index(fields=["problem", "kind", "-latest", "-id"], name="thread_latest_of_kind")]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=ThreadKind.values), name="thread_kind_known")
        ]

    def __str__(self) -> str:
        return self.title


class Inquiry(models.Model):
    """A private question about a submission. `answered` is empty while the instructors have to answer.

    `thread` has its posts. A submission has at most one inquiry whose thread is shown.
    """

    thread = models.OneToOneField(Thread, models.CASCADE, primary_key=True, related_name="inquiry")
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="inquiries")
    answered = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-thread"]
        indexes = [models.Index(fields=["-thread"], name="inquiry_open", condition=Q(answered=None))]
        verbose_name_plural = "inquiries"

    def __str__(self) -> str:
        return f"inquiry about {self.submission_id}"


class Solution(models.Model):
    """A submission in the gallery of its problem. The opening post of `thread` is its note.

    The gallery shows it while its thread is shown and its submission is shared and accepted. `problem` and
    `language` are those of the submission, and `votes` counts its votes.
    """

    thread = models.OneToOneField(Thread, models.CASCADE, primary_key=True, related_name="solution")
    submission = models.OneToOneField(Submission, models.CASCADE, related_name="solution")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="solutions")
    language = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Language])
    technique = models.CharField(max_length=TECHNIQUE_CHARACTERS)
    votes = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["-votes", "-thread"]
        indexes = [
            models.Index(fields=["problem", "-votes", "-thread"], name="solution_by_votes"),
            models.Index(fields=["problem", "-thread"], name="solution_by_time"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(language__in=[*Language]), name="solution_language_known")
        ]

    def __str__(self) -> str:
        return f"solution {self.submission_id}"


class Vote(models.Model):
    """A user's vote for a solution in the gallery."""

    solution = models.ForeignKey(Solution, models.CASCADE, related_name="given_votes")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="votes")
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["solution", "person"], name="vote_once")]

    def __str__(self) -> str:
        return f"{self.person_id} for {self.solution_id}"


class PostState(models.TextChoices):
    """The visibility of a post. Staff hide posts. Authors delete their own."""

    SHOWN = "shown"
    HIDDEN = "hidden"
    DELETED = "deleted"


class Post(models.Model):
    """A post of a user, in Markdown. `opening` marks the first post of its thread."""

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="posts")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="posts"
    )
    text = models.TextField(max_length=TEXT_CHARACTERS)
    opening = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=PostState.choices, default=PostState.SHOWN)
    reason = models.CharField(
        max_length=REASON_CHARACTERS,
        blank=True,
        help_text="Why staff hid the post. The author can read this.",
    )
    created = models.DateTimeField(default=timezone.now, editable=False)
    edited = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["thread", "id"], name="post_of_thread"),
            models.Index(fields=["author", "-created"], name="post_of_author"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=PostState.values), name="post_state_known"),
            models.CheckConstraint(
                condition=Q(reason="") | Q(state=PostState.HIDDEN.value), name="post_reason_where_hidden"
            ),
            models.UniqueConstraint(fields=["thread"], name="post_one_opens", condition=Q(opening=True)),
        ]

    def __str__(self) -> str:
        return f"post {self.pk}"


class Revision(models.Model):
    """The text of a post before it was edited or deleted. Only staff see it."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="revisions")
    text = models.TextField()
    written = models.DateTimeField(help_text="When the post was first saved with this text.")
    replaced = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"post {self.post_id} until {self.replaced:%Y-%m-%d %H:%M}"


class Answer(models.TextChoices):
    """The decision of staff about a report."""

    OPEN = "open"
    HIDDEN = "hidden"
    DISMISSED = "dismissed"


class Flag(models.Model):
    """A user's report to staff that a post breaks the rules. `reason` is the user's text."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="flags")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="flags"
    )
    reason = models.CharField(max_length=REASON_CHARACTERS)
    answer = models.CharField(max_length=9, choices=Answer.choices, default=Answer.OPEN)
    created = models.DateTimeField(default=timezone.now, editable=False)
    answered = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["answer", "-id"], name="flag_by_answer")]
        constraints = [
            models.UniqueConstraint(fields=["post", "person"], name="flag_once"),
            models.CheckConstraint(condition=Q(answer__in=Answer.values), name="flag_answer_known"),
            models.CheckConstraint(
                condition=Q(answer=Answer.OPEN.value, answered__isnull=True)
                | (~Q(answer=Answer.OPEN.value) & Q(answered__isnull=False)),
                name="flag_answered_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person_id} on post {self.post_id}: {self.answer}"


class Ban(models.Model):
    """A ban: the user may read discussions, but not write. A ban without `until` has no end."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="discussion_ban", primary_key=True
    )
    reason = models.CharField(max_length=REASON_CHARACTERS, help_text="The user can read this.")
    created = models.DateTimeField(default=timezone.now, editable=False)
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(until__isnull=True) | Q(until__gt=F("created")), name="ban_ends_later"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person_id}: {self.reason}"
