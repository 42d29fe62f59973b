"""Requests previews, proofs, imports and rejudges. Runs in the auditor, with Django."""

import io
import secrets
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

from judge.proof.preview import CaseWanted
from problems.contents import read_folder
from problems.loader import problems_root
from web.accounts.models import User
from web.authoring.models import ProofRun, Workspace
from web.authoring.services import runs, workspaces
from web.importing import services as importing
from web.importing.models import ImportRun
from web.jobs.models import LeasedJob
from web.rejudges import rejudging
from web.rejudges.models import HiddenRun
from web.submissions.models import Submission

_PACKAGE = "vector-add"
_MODELS: Mapping[str, type[LeasedJob]] = {
    "preview": ProofRun,
    "proof": ProofRun,
    "import": ImportRun,
    "rejudge": HiddenRun,
}


def look_at(kind: str, pk: int) -> dict[str, Any]:
    """Return the columns of a job that tests check. `failure` is the text for its owner, empty on success."""
    job = _MODELS[kind]._default_manager.get(pk=pk)
    failure = job.message if isinstance(job, HiddenRun) else getattr(job, "failure", "")
    return {
        "state": job.state,
        "attempt": job.attempt,
        "tries": job.tries,
        "worker": job.worker,
        "failure": failure,
    }


def cancel(kind: str, pk: int) -> bool:
    """Cancel a preview, a proof or an import."""
    if kind == "import":
        return importing.cancel(ImportRun.objects.get(pk=pk))
    return runs.cancel(ProofRun.objects.get(pk=pk))


def _preview(word: str, _judged: str) -> int:
    author = _author()
    return runs.preview(_workspace(author, word), author, CaseWanted("example")).pk


def _prove(word: str, _judged: str) -> int:
    author = _author()
    return runs.prove(_workspace(author, word), author).pk


def _import(word: str, _judged: str) -> int:
    archive, slug = io.BytesIO(), _slug()
    with zipfile.ZipFile(archive, "w") as packed:
        for path, content in _files(word).items():
            packed.writestr(f"set/{slug}/{path}", content)
    return importing.start_archive(_author(), "leetgpu", archive.getvalue()).pk


def import_folder(folder: str) -> int:
    """Request the import of a folder on the worker hosts. Return the key of its row."""
    return importing.start_folder(_author(), "leetgpu", folder).pk


def _rejudge(_word: str, judged: str) -> int:
    found = Submission.objects.filter(public_id=judged)
    return rejudging.start(_author(), found, reason="a fault", chosen={}).runs.get().pk


START: Mapping[str, Callable[[str, str], int]] = {
    "preview": _preview,
    "proof": _prove,
    "import": _import,
    "rejudge": _rejudge,
}


def _author() -> User:
    """Return a new author each time, because a user may have only a few open jobs."""
    return User.objects.create(username=f"author-{secrets.token_hex(4)}", is_instructor=True, is_staff=True)


def _slug() -> str:
    return f"sum-{secrets.token_hex(4)}"


def _workspace(author: User, word: str) -> Workspace:
    return workspaces.create(author, _slug(), _files(word))


def _files(word: str) -> dict[str, bytes]:
    files = dict(read_folder(problems_root() / _PACKAGE).files)
    return files | {"reference.py": files["reference.py"] + f"\n# {word}\n".encode()}
