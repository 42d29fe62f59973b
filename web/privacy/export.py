"""All stored data about a user as one JSON document, piece by piece.

Each piece comes from queries that are complete when it is yielded. So neither memory nor a connection is held
for longer than one piece takes, however much data there is.
"""

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from asgiref.sync import sync_to_async
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet

from judge.report_json import to_json
from web.accounts.models import ApiToken, User
from web.audit.models import AuditEntry
from web.authoring.models import Comment, Membership, ProofRun, Revision, Workspace, WorkspaceFile
from web.discussion.models import Ban, Flag, Post, Solution, Vote
from web.drafts.models import Draft, DraftRevision, Note
from web.fleet.models import PersonalNode
from web.hints.models import GivenUp, OpenedHint
from web.importing.models import ImportRun
from web.notifications.models import MailChoice, Notification
from web.packages.models import PackageVersion
from web.quizzes.models import Attempt, Sitting
from web.quotas.models import Quota
from web.submissions.event_broadcaster import closing
from web.submissions.models import ProfileReport, Progress, Replay, Submission
from web.submissions.queries import find_replay, present_report, score_of, verdict_of

CHUNK = 20  # rows in memory at a time; a submission may have 64 KiB of source and a report
Row = Mapping[str, Any]


async def stream(user: User) -> AsyncIterator[str]:
    """Yield the document, for a response."""
    pieces = document(user)
    step = sync_to_async(closing(lambda: next(pieces, None)))
    while (piece := await step()) is not None:
        yield piece


def document(user: User) -> Iterator[str]:
    """Yield the pieces of the document, in order."""
    yield f'{{"account": {_json(_account(user))}'
    for name, rows in _sections(user):
        yield f', "{name}": ['
        separator = ""
        for row in rows:
            yield separator + _json(row)
            separator = ",\n"
        yield "]"
    yield "}\n"


def _account(user: User) -> Row:
    columns = ("username", "email", "date_joined", "last_login", "is_active", "is_staff", "is_superuser")
    more = ("is_instructor", "profile_audience", "shows_activity", "in_rankings")
    return {name: getattr(user, name) for name in (*columns, *more)}


def _sections(user: User) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield every section by its name. Secrets are left out."""
    yield "addresses", _rows(EmailAddress.objects.filter(user=user), "email", "verified", "primary")
    yield (
        "sessions",
        _rows(UserSession.objects.filter(user=user), "created_at", "last_seen_at", "ip", "user_agent"),
    )
    yield "authenticators", _each(Authenticator.objects.filter(user=user), _authenticator)
    yield (
        "connected_accounts",
        _rows(
            SocialAccount.objects.filter(user=user),
            *("provider", "uid", "date_joined", "last_login", "extra_data"),
        ),
    )
    yield (
        "api_tokens",
        _rows(
            ApiToken.objects.filter(user=user),
            *("name", "prefix", "scope", "created", "expires", "last_used"),
        ),
    )
    yield (
        "personal_nodes",
        _rows(
            PersonalNode.objects.filter(owner=user),
            *("name", "created", "joined", "heartbeat", "version", "hardware"),
        ),
    )
    yield (
        "progress",
        _rows(
            Progress.objects.filter(user=user),
            *("problem__slug", "runs", "judged", "accepted", "solved", "latest"),
        ),
    )
    yield (
        "opened_hints",
        _rows(OpenedHint.objects.filter(user=user), "problem__slug", "number", "opened"),
    )
    yield (
        "quiz_attempts",
        _rows(
            Attempt.objects.filter(user=user),
            *("quiz__slug", "draw", "answers", "right", "questions", "passed", "late", "created"),
        ),
    )
    yield (
        "started_quizzes",
        _rows(Sitting.objects.filter(user=user), "quiz__slug", "draw", "started"),
    )
    yield "given_up", _rows(GivenUp.objects.filter(user=user), "problem__slug", "created")
    yield (
        "drafts",
        _rows(Draft.objects.filter(user=user), *("problem__slug", "language", "revision", "saved", "source")),
    )
    yield (
        "earlier_drafts",
        _rows(
            DraftRevision.objects.filter(draft__user=user),
            *("draft__problem__slug", "draft__language", "revision", "saved", "source"),
        ),
    )
    yield (
        "notes",
        _rows(
            Note.objects.filter(user=user), *("problem__slug", "text", "bookmarked", "revision", "changed")
        ),
    )
    yield (
        "posts",
        _rows(
            Post.objects.filter(author=user),
            *(
                "thread__problem__slug",
                "thread__kind",
                "thread__title",
                "text",
                "state",
                "reason",
                "created",
                "edited",
            ),
        ),
    )
    yield (
        "reported_posts",
        _rows(Flag.objects.filter(person=user), "post", "reason", "answer", "created", "answered"),
    )
    yield (
        "shared_solutions",
        _rows(Solution.objects.filter(thread__author=user), "submission__public_id", "technique", "votes"),
    )
    yield "votes", _rows(Vote.objects.filter(person=user), "solution__problem__slug", "solution", "created")
    yield (
        "notifications",
        _rows(
            Notification.objects.filter(user=user),
            *("kind", "actor__username", "subject", "detail", "url", "created", "read"),
        ),
    )
    yield "mail_choices", _rows(MailChoice.objects.filter(user=user), "kind", "by_mail")
    yield "gpu_limits", _rows(Quota.objects.filter(user=user), "gpu_s_per_day", "created")
    yield "bans", _rows(Ban.objects.filter(person=user), "reason", "created", "until")
    yield (
        "published_versions",
        _rows(
            PackageVersion.objects.filter(by=user),
            *("problem__slug", "number", "note", "content_hash", "created"),
        ),
    )
    yield (
        "imports",
        _rows(
            ImportRun.objects.filter(by=user),
            *("format", "folder", "state", "report", "failure", "queued", "finished"),
        ),
    )
    yield (
        "workspaces",
        _rows(Workspace.objects.filter(owner=user), "slug", "title", "state", "created", "changed"),
    )
    owned = WorkspaceFile.objects.filter(workspace__owner=user).select_related("workspace", "content")
    yield "workspace_files", _each(owned, _workspace_file)
    yield (
        "memberships",
        _rows(Membership.objects.filter(user=user), "workspace__slug", "role", "created"),
    )
    yield (
        "revisions",
        _rows(
            Revision.objects.filter(by=user),
            *("workspace__slug", "number", "note", "changed", "created"),
        ),
    )
    yield (
        "author_comments",
        _rows(
            Comment.objects.filter(by=user),
            *("workspace__slug", "path", "line", "text", "created", "resolved"),
        ),
    )
    yield (
        "proofs_and_previews",
        _rows(
            ProofRun.objects.filter(by=user),
            *("workspace__slug", "kind", "wanted", "state", "holds", "queued", "finished"),
        ),
    )
    yield (
        "staff_actions",
        _rows(AuditEntry.objects.filter(actor=user), "kind", "target_text", "details", "created"),
    )
    submissions = Submission.objects.filter(user=user).select_related(
        "problem", "job", "report", "report__replay", "user"
    )
    yield "submissions", _each(submissions, lambda submission: _submission(submission, user))
    yield "profile_reports", _profile_reports(user)


def _authenticator(row: Authenticator) -> Row:
    name = row.data.get("name", "") if row.type == Authenticator.Type.WEBAUTHN else ""
    return {"kind": row.type, "name": name, "created": row.created_at, "last_used": row.last_used_at}


def _workspace_file(row: WorkspaceFile) -> Row:
    text = bytes(row.content.data).decode("utf-8", "replace")
    return {"workspace": row.workspace.slug, "path": row.path, "text": text}


def _replay(row: Replay | None) -> Row | None:
    return {"case": row.case, "gzip_base64": b64encode(row.packed).decode()} if row else None


def _profile_reports(user: User) -> Iterator[Row]:
    """Yield the files of Nsight Compute one at a time, because each may have megabytes."""
    rows = ProfileReport.objects.filter(user=user).select_related("report__submission").order_by("pk")
    for key in list(rows.values_list("pk", flat=True)):
        if (row := rows.filter(pk=key).first()) is not None:
            yield {
                "submission": row.report.submission.public_id,
                "created": row.created,
                "base64": b64encode(row.content).decode(),
            }


def _submission(submission: Submission, user: User) -> Row:
    report, score = present_report(submission, user), score_of(submission)
    return {
        "id": submission.public_id,
        "problem": submission.problem.slug,
        "version": submission.version,
        "language": submission.language,
        "mode": submission.mode,
        "created": submission.created,
        "sizes": submission.sizes,
        "values": submission.values,
        "seed": submission.seed,
        "gpu_asked_for": submission.gpu_model,
        "personal_node": submission.personal_node,
        "shared": submission.shared,
        "source": submission.source,
        "verdict": verdict_of(submission),
        "score_us": score.median_us if score else None,
        "report": to_json(report) if report else None,
        "replay": _replay(find_replay(submission)),
    }


def _rows(rows: QuerySet[Any], *columns: str) -> Iterator[Row]:
    """Return some columns of `rows`, under their own names."""
    short = {column.removesuffix("__slug").replace("__", "_"): column for column in columns}
    names = {column: name for name, column in short.items()}
    for row in _each(rows.values("pk", *columns), dict, key=lambda row: row["pk"]):
        yield {names[column]: row[column] for column in columns}


def _each(
    rows: QuerySet[Any], present: Callable[[Any], Row], *, key: Callable[[Any], Any] = lambda row: row.pk
) -> Iterator[Row]:
    """Yield every row in the form of `present`, in the order of the keys, a chunk at a time."""
    rows, last = rows.order_by("pk"), None
    while chunk := [*(rows if last is None else rows.filter(pk__gt=last))[:CHUNK]]:
        yield from map(present, chunk)
        last = key(chunk[-1])


def _json(value: Row) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
