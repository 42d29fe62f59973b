"""A process inside the cluster that uses Django. It audits, and runs code of the site for a test.

Theory of operation. In the test process, Django uses the test database. So this process does everything that
needs the models of the cluster. It reads a line of JSON, `[name, arguments]`, from its standard input, and
writes a line of JSON with the answer to its standard output. It keeps no connection between two lines, so a
restart of the database does not affect it.
"""

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import django
from django.db import connections

from web.config import use_settings

use_settings()
django.setup()

from judge.report import Report  # noqa: E402 - needs Django's settings
from problems.vocabulary import Verdict  # noqa: E402 - as above
from tests.cluster import invariants, requests  # noqa: E402 - as above
from web.accounts.models import Scope, User  # noqa: E402 - as above
from web.accounts.services import issue_token  # noqa: E402 - as above
from web.jobs import wakeup  # noqa: E402 - as above
from web.submissions import services  # noqa: E402 - as above
from web.submissions.models import Job, Submission  # noqa: E402 - as above

_claims: dict[str, Job] = {}


def enrol(name: str) -> str:
    """Create a user without a password, and return the secret of a token."""
    user, _ = User.objects.get_or_create(username=name)
    _, secret = issue_token(user, name="cluster", scope=Scope.SUBMIT)
    return secret


def wake(times: int) -> None:
    """Send `times` wake-up messages."""
    for _ in range(times):
        wakeup.wake()


def claim() -> str | None:
    """Claim the most urgent submission for a worker that will be slow, and return its id."""
    claimed = services.claim("slow")
    if claimed is None:
        return None
    _claims[claimed.submission.public_id] = claimed
    return claimed.submission.public_id


def return_to_queue(public_id: str) -> bool:
    """Return the submission that `claim` took to the queue."""
    return services.return_to_queue(_claims[public_id], failed=False)


def send_result(public_id: str, verdict: str) -> bool:
    """Record a result for the submission that `claim` took, regardless of its age.

    Return whether it was stored.
    """
    return services.record(_claims[public_id], Report(Verdict(verdict)))


def rejudge(public_id: str) -> bool:
    """Rejudge a submission."""
    return services.rejudge(Submission.objects.get(public_id=public_id))


def start_kind(kind: str, word: str, judged: str) -> int:
    """Request a job of another kind, which `word` keeps at its worker. Return the key of its row.

    A rejudge runs the submission `judged` again.
    """
    return requests.START[kind](word, judged)


def import_folder(folder: str) -> int:
    """Request the import of a folder on the worker hosts. Return the key of its row."""
    return requests.import_folder(folder)


def look_at(kind: str, pk: int) -> dict[str, Any]:
    """Return the state, attempt, tries and worker of such a job, and whether it has a result."""
    return requests.look_at(kind, pk)


def cancel_kind(kind: str, pk: int) -> bool:
    """Cancel such a job."""
    return requests.cancel(kind, pk)


def undone() -> list[str]:
    """Return the submissions without a verdict."""
    return list(Job.objects.exclude(state="done").values_list("submission__public_id", flat=True))


_DOES: Mapping[str, Callable[..., Any]] = {
    "violations": invariants.violations,
    **{
        do.__name__: do
        for do in (
            enrol,
            wake,
            claim,
            return_to_queue,
            send_result,
            rejudge,
            start_kind,
            import_folder,
            look_at,
            cancel_kind,
            undone,
        )
    },
}


def main() -> None:
    """Answer requests until standard input ends."""
    for line in sys.stdin:
        name, arguments = json.loads(line)
        try:
            answer = {"value": _DOES[name](*arguments)}
        except Exception:  # noqa: BLE001 - the test that asked gets it
            answer = {"error": traceback.format_exc()}
        connections.close_all()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
