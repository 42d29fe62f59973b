"""Writes about submissions: what users do (`submitting`) and what workers do (`judging`)."""

from web.submissions.services.judging import (
    Claim,
    Hold,
    LeaseLost,
    abandon,
    add_event,
    claim,
    extend_lease,
    hand_back,
    record,
)
from web.submissions.services.progress import forget, recount
from web.submissions.services.sharing import share, withdraw
from web.submissions.services.submitting import (
    GpuNotOffered,
    KeyReused,
    LanguageUnavailable,
    LimitReached,
    SeedUnacceptable,
    SizesUnacceptable,
    SourceUnacceptable,
    SubmissionRefused,
    cancel,
    rejudge,
    submit,
)
from web.submissions.services.sweeping import Swept, sweep

__all__ = [
    "Claim",
    "GpuNotOffered",
    "Hold",
    "KeyReused",
    "LanguageUnavailable",
    "LeaseLost",
    "LimitReached",
    "SeedUnacceptable",
    "SizesUnacceptable",
    "SourceUnacceptable",
    "SubmissionRefused",
    "Swept",
    "abandon",
    "add_event",
    "cancel",
    "claim",
    "extend_lease",
    "forget",
    "hand_back",
    "record",
    "recount",
    "rejudge",
    "share",
    "submit",
    "sweep",
    "withdraw",
]
