"""Writes about submissions: actions of users (`submitting`) and of workers (`job_queue`)."""

from web.jobs.queue import Hold, LeaseLost, Swept
from web.submissions.services.job_queue import queue
from web.submissions.services.progress import forget, recount
from web.submissions.services.refusals import (
    GpuNotOffered,
    KeyReused,
    LanguageUnavailable,
    LimitReached,
    PersonalNodeUnavailable,
    ProfileUnavailable,
    SeedUnacceptable,
    SizesUnacceptable,
    SourceUnacceptable,
    SubmissionRefused,
    ValuesUnacceptable,
)
from web.submissions.services.sharing import share, withdraw
from web.submissions.services.submitting import cancel, rejudge, submit

abandon = queue.abandon
add_event = queue.add_event
claim = queue.claim
extend_lease = queue.extend_lease
record = queue.record
return_to_queue = queue.return_to_queue
sweep = queue.sweep

__all__ = [
    "GpuNotOffered",
    "Hold",
    "KeyReused",
    "LanguageUnavailable",
    "LeaseLost",
    "LimitReached",
    "PersonalNodeUnavailable",
    "ProfileUnavailable",
    "SeedUnacceptable",
    "SizesUnacceptable",
    "SourceUnacceptable",
    "SubmissionRefused",
    "Swept",
    "ValuesUnacceptable",
    "abandon",
    "add_event",
    "cancel",
    "claim",
    "extend_lease",
    "forget",
    "queue",
    "record",
    "recount",
    "rejudge",
    "return_to_queue",
    "share",
    "submit",
    "sweep",
    "withdraw",
]
