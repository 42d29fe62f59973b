"""Exit statuses: 0 is success or `accepted`; each other verdict has its own, for scripts.

1 the command failed, 2 wrong usage, 3 the site cannot be reached or failed, 4 not signed in or not
allowed, 5 not found, 6 refused by a limit, 7 not proved, 8 conflict with another change. Verdicts begin
at 10. A number never changes its meaning.
"""

from typing import Final

FAILED: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 3
FORBIDDEN: Final = 4
NOT_FOUND: Final = 5
LIMITED: Final = 6
NOT_PROVED: Final = 7
CONFLICT: Final = 8

BY_VERDICT: Final = {
    "accepted": 0,
    "wrong_answer": 10,
    "compile_error": 11,
    "runtime_error": 12,
    "illegal_access": 13,
    "time_limit": 14,
    "memory_limit": 15,
    "output_limit": 16,
    "rejected": 17,
    "internal_error": 18,
    "cancelled": 19,
    "requirement_missed": 20,
}


def of_verdict(verdict: str | None) -> int:
    """The status for a verdict; `FAILED` for one that this version does not know or that is missing."""
    return BY_VERDICT.get(verdict or "", FAILED)
