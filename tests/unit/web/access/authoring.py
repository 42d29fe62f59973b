"""A workspace of the owner, for the addresses below /author.

The classmate is a reviewer. There are no other members: the instructor is not a member. The workspace has a
proof, a preview and a comment, and a version that a member of staff froze and previews.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from judge.proof.results import Proof, error, to_json
from problems.archive import pack
from problems.contents import Contents
from problems.importing.report import ImportedProblem
from web.accounts.models import User
from web.authoring import queries
from web.authoring.models import ProofRun, Role, RunKind, Workspace
from web.authoring.problem_templates import begin
from web.authoring.services import comments, files, members, workspaces
from web.importing.models import ImportRun
from web.importing.persistence import ImportResult
from web.jobs.models import JobState
from web.packages.services import freeze
from web.rejudges import rejudging
from web.submissions.models import Submission

FIGURE = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>'
SOLUTION = "plain.cu"


@dataclass(frozen=True, slots=True)
class Desk:
    """The keys of the objects that belong to the workspace."""

    proof: int
    preview: int
    trial: int
    comment: int
    rejudge: int
    imported: int


def open_workspace(owner: User, reviewer: User, slug: str, text: str) -> Workspace:
    """Create the owner's problem, before a problem with that name is published."""
    content: dict[str, bytes] = {**begin("custom", title=f"Sums {text}"), "figures/figure.svg": FIGURE}
    content["statement.md"] += f"\n{text} ![A square](figures/figure.svg)\n".encode()
    content["statement.de.md"] = content["statement.md"]
    content["editorial.md"] += f"\n{text} [x](javascript:attack())\n".encode()
    content[f"solutions/{SOLUTION}"] += f"\n// {text}\n".encode()
    workspace = workspaces.create(owner, slug, content, note=f"First {text}")
    members.set_role(workspace, owner, reviewer, Role.REVIEWER)
    return workspace


def furnish(workspace: Workspace, owner: User, staff: User, text: str) -> Desk:
    """Add a history to the workspace."""
    said = comments.comment(workspace, owner, path="statement.md", line=1, text=f"Why? {text}")
    found = error(f"statement.md {text}", f"is wrong {text}", f"mend it {text}")
    proof = to_json(Proof(workspace.slug, "v", (found,), ()))
    steps = {"steps": [{"kind": "checking", "text": text, "index": 1, "total": 2, "at_s": 0.1}]}
    archive = pack(Contents(workspace.slug, queries.read(workspace)))
    version = freeze(workspace.slug, archive, staff, f"First {text}")
    judged = Submission.objects.filter(problem__slug=workspace.slug)
    rejudge = rejudging.start(staff, judged, reason=f"A fix. {text}", chosen={}, package=version)
    return Desk(
        proof=_run(workspace, owner, RunKind.PROOF, report=proof, holds=False, progress=steps).pk,
        preview=_run(workspace, owner, RunKind.PREVIEW, failure=f"line 1: {text or 'broken'}").pk,
        trial=_run(
            workspace, owner, RunKind.TRIAL, report=proof, holds=False, wanted={"files": [SOLUTION]}
        ).pk,
        comment=said.pk,
        rejudge=rejudge.pk,
        imported=_import(owner, text).pk,
    )


def _run(workspace: Workspace, by: User, kind: RunKind, **columns: object) -> ProofRun:
    revision = queries.present_revision(workspace)
    assert revision is not None
    files.pin(revision)
    return ProofRun.objects.create(
        workspace=workspace,
        revision=revision,
        content_hash=revision.content_hash,
        kind=kind,
        by=by,
        state=JobState.DONE,
        **columns,
    )


def _import(by: User, text: str) -> ImportRun:
    entry = ImportedProblem.refused(f"set/{text}", "their-sum", f"It cannot be read. {text}")
    report = {"format": "leetgpu", "problems": [ImportResult(entry).as_json()]}
    return ImportRun.objects.create(by=by, format="leetgpu", state=JobState.DONE, report=report)


def keys_of(desk: Desk) -> Mapping[str, int]:
    """Return the values of `pk` below /author, by the prefix of a route's name."""
    return {
        "author-comment": desk.comment,
        "author-proof": desk.proof,
        "author-mutant": desk.proof,
        "author-trial": desk.trial,
        "author-preview": desk.preview,
        "author-rejudge": desk.rejudge,
        "author-import": desk.imported,
    }


def values_of(desk: Desk) -> Mapping[str, object]:
    """Return the values for addresses of the API below /author."""
    return {
        "run_id": desk.proof,
        "comment_id": desk.comment,
        "rejudge_id": desk.rejudge,
        "import_id": desk.imported,
        "path": "statement.md",
        "file": SOLUTION,
        "locale": "de",
    }
