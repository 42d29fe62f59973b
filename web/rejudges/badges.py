"""The badges of rejudges and hidden runs."""

from dataclasses import dataclass

from web.rejudges.models import Change, RejudgeState


@dataclass(frozen=True, slots=True)
class Badge:
    """The display of a state: a word, a tone (CSS class), and a symbol of icons.svg."""

    word: str
    tone: str
    icon: str


REJUDGE_BADGES = {
    RejudgeState.RUNNING: Badge("Running", "live", "pending"),
    RejudgeState.READY: Badge("Waiting for decision", "limit", "warning"),
    RejudgeState.APPLYING: Badge("Applying", "live", "pending"),
    RejudgeState.APPLIED: Badge("Applied", "good", "accepted"),
    RejudgeState.DISCARDED: Badge("Discarded", "void", "cancelled"),
    RejudgeState.CANCELLED: Badge("Cancelled", "void", "cancelled"),
}


CHANGE_BADGES = {
    Change.SAME: Badge("Same", "void", "note"),
    Change.VERDICT: Badge("Changed verdict", "limit", "warning"),
    Change.FASTER: Badge("Faster", "good", "run"),
    Change.SLOWER: Badge("Slower", "bad", "time_limit"),
    Change.OTHER_GPU: Badge("Different GPU", "limit", "note"),
    Change.FAILED: Badge("Judge failed", "bad", "internal_error"),
}
