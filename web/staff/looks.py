"""How jobs, hidden runs and rejudges look, and what is said of what is stuck."""

from dataclasses import dataclass

from web.jobs.models import JobKind
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
class KindWords:
    """What one job of a kind, and what several are called, and where one is seen.

    `page` is the name of a URL, and `page_values` the columns of `jobs.queries.Task` that fill it.
    """

    one: str
    many: str
    page: str
    page_values: tuple[str, ...] = ("key",)


KIND_WORDS = {
    JobKind.SUBMISSION: KindWords("Submission", "Submissions", "submission"),
    JobKind.PREVIEW: KindWords(
        "Preview of a generator", "Previews of generators", "author-reference", ("subject",)
    ),
    JobKind.PROOF: KindWords("Proof", "Proofs", "author-proof-run", ("subject", "key")),
    JobKind.IMPORT: KindWords("Import", "Imports", "author-import-run"),
    JobKind.REJUDGE: KindWords("Hidden run", "Hidden runs of rejudges", "staff-rejudge"),
}
REJUDGE_LOOKS = {
    RejudgeState.RUNNING: Look("Running", "live", "pending"),
    RejudgeState.READY: Look("Waits for your answer", "limit", "warning"),
    RejudgeState.APPLYING: Look("Being applied", "live", "pending"),
    RejudgeState.APPLIED: Look("Applied", "good", "accepted"),
    RejudgeState.DISCARDED: Look("Discarded", "void", "cancelled"),
    RejudgeState.CANCELLED: Look("Cancelled", "void", "cancelled"),
}
CHANGE_LOOKS = {
    Change.SAME: Look("Same", "void", "note"),
    Change.VERDICT: Look("Other verdict", "limit", "warning"),
    Change.FASTER: Look("Faster", "good", "run"),
    Change.SLOWER: Look("Slower", "bad", "time_limit"),
    Change.OTHER_GPU: Look("Other GPU", "limit", "note"),
    Change.FAILED: Look("Judge failed", "bad", "internal_error"),
}
STUCK_WORDS = {
    Stuck.EXPIRED: StuckWords(
        "Worker lost",
        "Their worker's lease has expired. Another worker takes them by itself while it has tries left; "
        "queue them again to give them all tries.",
        "No lease has expired.",
    ),
    Stuck.GAVE_UP: StuckWords(
        "Given up",
        "The judge failed on them several times, and their verdict is “Internal error”. Look into the log "
        "for judging_failed with their identifier, mend the cause, and judge them again.",
        "The judge has given up nothing.",
    ),
    Stuck.WAITING: StuckWords(
        "Waiting long",
        "They have waited for more than ten minutes. See whether workers live and which of them judge.",
        "Nothing has waited for more than ten minutes.",
    ),
    Stuck.NO_GPU: StuckWords(
        "GPU not offered",
        "They ask for a GPU that no node offers now. Bring the GPU back, or cancel them and say why.",
        "Every GPU that is asked for is offered.",
    ),
}
