"""How jobs, hidden runs and rejudges look, and what is said of what is stuck."""

from dataclasses import dataclass

from web.staff.dockets import Docket
from web.staff.models import Change, RejudgeState
from web.staff.queries import Stuck


@dataclass(frozen=True, slots=True)
class Look:
    """A state for people: a word, a tone (CSS class), and a symbol of icons.svg."""

    word: str
    tone: str
    icon: str


@dataclass(frozen=True, slots=True)
class StuckWords:
    """What is said of jobs that are stuck in one way. `hint` says what helps."""

    label: str
    hint: str
    none: str


@dataclass(frozen=True, slots=True)
class DocketWords:
    """What one, and what several things of a docket are called."""

    one: str
    many: str


DOCKET_WORDS = {
    Docket.SUBMISSION: DocketWords("Submission", "Submissions"),
    Docket.PREVIEW: DocketWords("Generator preview", "Generator previews"),
    Docket.PROOF: DocketWords("Proof", "Proofs"),
    Docket.IMPORT: DocketWords("Import", "Imports"),
    Docket.REJUDGE: DocketWords("Dry-run rejudge", "Dry-run rejudges"),
}
REJUDGE_LOOKS = {
    RejudgeState.RUNNING: Look("Running", "live", "pending"),
    RejudgeState.READY: Look("Waiting for decision", "limit", "warning"),
    RejudgeState.APPLYING: Look("Applying", "live", "pending"),
    RejudgeState.APPLIED: Look("Applied", "good", "accepted"),
    RejudgeState.DISCARDED: Look("Discarded", "void", "cancelled"),
    RejudgeState.CANCELLED: Look("Cancelled", "void", "cancelled"),
}
CHANGE_LOOKS = {
    Change.SAME: Look("Same", "void", "note"),
    Change.VERDICT: Look("Changed verdict", "limit", "warning"),
    Change.FASTER: Look("Faster", "good", "run"),
    Change.SLOWER: Look("Slower", "bad", "time_limit"),
    Change.OTHER_GPU: Look("Different GPU", "limit", "note"),
    Change.FAILED: Look("Judge failed", "bad", "internal_error"),
}
STUCK_WORDS = {
    Stuck.EXPIRED: StuckWords(
        "Worker lost",
        "The worker's lease has expired. Another worker retries the job while it has tries left. "
        "Requeue the job to reset its tries.",
        "No expired leases.",
    ),
    Stuck.GAVE_UP: StuckWords(
        "Given up",
        "The judge failed several times, and the verdict is “Internal error”. Search the log "
        "for judging_failed with the submission ID, fix the cause, then rejudge.",
        "No abandoned jobs.",
    ),
    Stuck.WAITING: StuckWords(
        "Waiting long",
        "Waiting for more than ten minutes. Check whether workers are running.",
        "No job has waited for more than ten minutes.",
    ),
    Stuck.NO_GPU: StuckWords(
        "GPU unavailable",
        "No node offers the requested GPU. Restore the GPU, or cancel the jobs with a reason.",
        "All requested GPUs are available.",
    ),
}
