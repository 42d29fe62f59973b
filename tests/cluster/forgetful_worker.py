"""A worker that loses the answer to every result it sends, and so sends it twice.

    celery -A tests.cluster.forgetful_worker worker

The result is recorded, but the connection seems to break before the worker knows. The unchanged code of the
worker then sends the result again under the same claim.
"""

from django.db import OperationalError

import worker.app  # isort: skip - sets up Django for the next imports

from judge.report import Report
from web.submissions.models import Job
from web.submissions.services import queue

celery = worker.app.celery

_record = queue.record
_answered: set[tuple[int, int]] = set()


def _record_and_lose_the_answer(job: Job, report: Report) -> bool:
    recorded = _record(job, report)
    claim = (job.pk, job.attempt)
    if claim not in _answered:
        _answered.add(claim)
        raise OperationalError("the connection broke before the answer came")
    return recorded


queue.record = _record_and_lose_the_answer  # type: ignore[method-assign]  # that is what it is for
