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
from django.db.models import Case, F, Model, QuerySet, Value, When

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
Section = Callable[[User], Iterable[Row]]


async def stream(user: User) -> AsyncIterator[str]:
    """Yield the document, for a response."""
    pieces = document(user)
    step = sync_to_async(closing(lambda: next(pieces, None)))
    while (piece := await step()) is not None:
        yield piece


def document(user: User) -> Iterator[str]:
    """Yield the pieces of the document, in order."""
    yield f'{{"account": {_json(_account(user))}'
    for name, rows_of in _SECTIONS.items():
        yield f', "{name}": ['
        separator = ""
        for row in rows_of(user):
            yield separator + _json(row)
            separator = ",\n"
        yield "]"
    yield "}\n"


def _account(user: User) -> Row:
    columns = ("username", "email", "date_joined", "last_login", "is_active", "is_staff", "is_superuser")
    more = ("is_instructor", "profile_audience", "shows_activity", "in_rankings")
    return {name: getattr(user, name) for name in (*columns, *more)}


def _authenticators(user: User) -> Iterator[Row]:
    return _each(Authenticator.objects.filter(user=user), _authenticator)


def _authenticator(row: Authenticator) -> Row:
    name = row.data.get("name", "") if row.type == Authenticator.Type.WEBAUTHN else ""
    return {"kind": row.type, "name": name, "created": row.created_at, "last_used": row.last_used_at}


def _workspace_files(user: User) -> Iterator[Row]:
    owned = WorkspaceFile.objects.filter(workspace__owner=user).select_related("workspace", "content")
    return _each(owned, _workspace_file)


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


def _submissions(user: User) -> Iterator[Row]:
    joined = ("problem", "job", "report", "report__replay", "user")
    rows = Submission.objects.filter(user=user).select_related(*joined)
    return _each(rows, lambda row: _submission(row, user))


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


def _columns(model: type[Model], owner: str, names: str) -> Section:
    """Return a section with some columns of the rows of `model` whose `owner` is the user.

    `names` are separated by spaces.
    """
    return lambda user: _rows(model._default_manager.filter(**{owner: user}), *names.split())  # noqa: SLF001 - Django's public name


def _rows(rows: QuerySet[Any], *columns: str) -> Iterator[Row]:
    """Yield some columns of `rows`, under their own names."""
    short = {column.removesuffix("__slug").replace("__", "_"): column for column in columns}
    names = {column: name for name, column in short.items()}
    for row in _each(rows.values("pk", *columns), dict, key=lambda row: row["pk"]):
        yield {names[column]: row[column] for column in columns}


def _posts(user: User) -> Iterator[Row]:
    """Yield the posts of `user`.

    The title of a thread is part of its opening post, which another user may have deleted.
    """
    title = Case(When(opening=True, then=F("thread__title")), default=Value(""))
    posts = Post.objects.filter(author=user).annotate(thread_title=title)
    of_thread = ("thread__problem__slug", "thread__kind", "thread_title")
    yield from _rows(posts, *of_thread, "text", "state", "reason", "created", "edited")


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


# Every section by its name. Secrets are left out.
_SECTIONS: Mapping[str, Section] = {
    # The account
    "addresses": _columns(EmailAddress, "user", "email verified primary"),
    "sessions": _columns(UserSession, "user", "created_at last_seen_at ip user_agent"),
    "authenticators": _authenticators,
    "connected_accounts": _columns(SocialAccount, "user", "provider uid date_joined last_login extra_data"),
    "api_tokens": _columns(ApiToken, "user", "name prefix scope created expires last_used"),
    "personal_nodes": _columns(PersonalNode, "owner", "name created joined heartbeat version hardware"),
    # Problems and quizzes
    "progress": _columns(Progress, "user", "problem__slug runs judged accepted solved latest"),
    "opened_hints": _columns(OpenedHint, "user", "problem__slug number opened"),
    "quiz_attempts": _columns(Attempt, "user", "quiz__slug draw answers right questions passed late created"),
    "started_quizzes": _columns(Sitting, "user", "quiz__slug draw started"),
    "given_up": _columns(GivenUp, "user", "problem__slug created"),
    "drafts": _columns(Draft, "user", "problem__slug language revision saved source"),
    "earlier_drafts": _columns(
        DraftRevision, "draft__user", "draft__problem__slug draft__language revision saved source"
    ),
    "notes": _columns(Note, "user", "problem__slug text bookmarked revision changed"),
    # Discussions, notifications and limits
    "posts": _posts,
    "reported_posts": _columns(Flag, "person", "post reason answer created answered"),
    "shared_solutions": _columns(Solution, "thread__author", "submission__public_id technique votes"),
    "votes": _columns(Vote, "person", "solution__problem__slug solution created"),
    "notifications": _columns(Notification, "user", "kind actor__username subject detail url created read"),
    "mail_choices": _columns(MailChoice, "user", "kind by_mail"),
    "gpu_limits": _columns(Quota, "user", "gpu_s_per_day created"),
    "bans": _columns(Ban, "person", "reason created until"),
    # Problems that the user writes
    "published_versions": _columns(PackageVersion, "by", "problem__slug number note content_hash created"),
    "imports": _columns(ImportRun, "by", "format folder state report failure queued finished"),
    "workspaces": _columns(Workspace, "owner", "slug title state created changed"),
    "workspace_files": _workspace_files,
    "memberships": _columns(Membership, "user", "workspace__slug role offered created"),
    "revisions": _columns(Revision, "by", "workspace__slug number note changed created"),
    "author_comments": _columns(Comment, "by", "workspace__slug path line text created resolved"),
    "proofs_and_previews": _columns(
        ProofRun, "by", "workspace__slug kind wanted state holds queued finished"
    ),
    "staff_actions": _columns(AuditEntry, "actor", "kind target_text details created"),
    # Submissions
    "submissions": _submissions,
    "profile_reports": _profile_reports,
}
