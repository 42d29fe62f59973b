"""How rejudges and hidden runs look."""

from dataclasses import dataclass

from web.rejudges.models import Change, RejudgeState


@dataclass(frozen=True, slots=True)
class Look:
    """A state for people: a word, a tone (CSS class), and a symbol of icons.svg."""

    word: str
    tone: str
    icon: str


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
