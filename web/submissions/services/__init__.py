"""Writes about submissions: what users do (`submitting`) and what workers do (`judging`)."""

from web.submissions.services.judging import (
    Claim,
    Hold,
    LeaseLost,
    Swept,
    add_event,
    claim,
    extend_lease,
    hand_back,
    record,
    sweep,
)
from web.submissions.services.progress import forget, recount
from web.submissions.services.submitting import (
    KeyReused,
    LanguageUnavailable,
    LimitReached,
    SizesUnacceptable,
    SourceUnacceptable,
    SubmissionRefused,
    cancel,
    rejudge,
    submit,
)

__all__ = [
    "Claim",
    "Hold",
    "KeyReused",
    "LanguageUnavailable",
    "LeaseLost",
    "LimitReached",
    "SizesUnacceptable",
    "SourceUnacceptable",
    "SubmissionRefused",
    "Swept",
    "add_event",
    "cancel",
    "claim",
    "extend_lease",
    "forget",
    "hand_back",
    "record",
    "recount",
    "rejudge",
    "submit",
    "sweep",
]
