"""Submissions with their jobs, events and reports, and the rows that summarize them."""

from web.submissions.models.job import Event, EventKind, Job, Priority
from web.submissions.models.report import (
    STAMP_CHARACTERS,
    CaseResult,
    Listing,
    ListingKind,
    ProfileReport,
    Replay,
    Report,
)
from web.submissions.models.submission import (
    PUBLIC_ID_CHARACTERS,
    Submission,
    may_be_public_id,
    new_public_id,
)
from web.submissions.models.summary import Best, BestByChecker, Progress, Tally

__all__ = [
    "PUBLIC_ID_CHARACTERS",
    "STAMP_CHARACTERS",
    "Best",
    "BestByChecker",
    "CaseResult",
    "Event",
    "EventKind",
    "Job",
    "Listing",
    "ListingKind",
    "Priority",
    "ProfileReport",
    "Progress",
    "Replay",
    "Report",
    "Submission",
    "Tally",
    "may_be_public_id",
    "new_public_id",
]
