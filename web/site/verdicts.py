"""The badges of verdicts and what they mean: one word, one tone and one sentence for each."""

from dataclasses import dataclass

from problems.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Badge:
    """The display of a verdict. `tone` names a CSS class, `icon` a symbol of icons.svg."""

    word: str
    tone: str
    icon: str
    meaning: str


_BADGES = {
    Verdict.ACCEPTED: ("Accepted", "good", "Every element of every case is correct."),
    Verdict.WRONG_ANSWER: (
        "Wrong answer",
        "bad",
        "The program finished, but at least one output element is out of tolerance.",
    ),
    Verdict.COMPILE_ERROR: (
        "Compile error",
        "syntax",
        "The source did not compile. See the findings and the compiler log.",
    ),
    Verdict.RUNTIME_ERROR: (
        "Runtime error",
        "bad",
        "The program stopped early: an exception, a failed assertion or an invalid launch.",
    ),
    Verdict.ILLEGAL_ACCESS: (
        "Illegal access",
        "bad",
        "A thread made an out-of-bounds, misaligned or invalid-space access.",
    ),
    Verdict.TIME_LIMIT: (
        "Time limit",
        "limit",
        "A case took longer than the problem allows.",
    ),
    Verdict.MEMORY_LIMIT: (
        "Memory limit",
        "limit",
        "The program requested more memory than the problem allows.",
    ),
    Verdict.OUTPUT_LIMIT: ("Output limit", "limit", "The program printed more than the output limit."),
    Verdict.REQUIREMENT_MISSED: (
        "Requirement missed",
        "limit",
        "Every element is correct, but the program does not use the GPU as the problem requires.",
    ),
    Verdict.REJECTED: (
        "Rejected",
        "bad",
        "The submission broke a rule of the problem, for example by writing to an input. See the report.",
    ),
    Verdict.INTERNAL_ERROR: (
        "Internal error",
        "void",
        "The judge failed, not the submission. This does not count and can be rejudged.",
    ),
    Verdict.CANCELLED: ("Cancelled", "void", "Cancelled by its author or by staff."),
}

PENDING = Badge("Judging", "live", "pending", "Not judged yet.")


def badge_of(verdict: str | None) -> Badge:
    """Return the badge of `verdict`, given by its value; None stands for no verdict yet."""
    if verdict is None:
        return PENDING
    known = Verdict(verdict)
    word, tone, meaning = _BADGES[known]
    return Badge(word, tone, known.value, meaning)


def all_badges() -> list[tuple[Verdict, Badge]]:
    """Return every verdict with its badge, in the order of the vocabulary."""
    return [(verdict, badge_of(verdict)) for verdict in Verdict]
