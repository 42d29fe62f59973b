"""How verdicts look and what they mean: one word, one tone and one sentence for each."""

from dataclasses import dataclass

from problems.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Look:
    """A verdict for people. `tone` names a CSS class, `icon` a symbol of icons.svg."""

    word: str
    tone: str
    icon: str
    meaning: str


_LOOKS = {
    Verdict.ACCEPTED: ("Accepted", "good", "Every element of every case is right."),
    Verdict.WRONG_ANSWER: (
        "Wrong answer",
        "bad",
        "The program ran to its end, and at least one element of an output is out of tolerance.",
    ),
    Verdict.COMPILE_ERROR: (
        "Compile error",
        "syntax",
        "The compiler refused the program. The findings and its log say where and why.",
    ),
    Verdict.RUNTIME_ERROR: (
        "Runtime error",
        "bad",
        "The program stopped before its end: an exception, a failed assertion, or a launch that cannot be.",
    ),
    Verdict.ILLEGAL_ACCESS: (
        "Illegal access",
        "bad",
        "A thread touched memory outside an allocation, misaligned, or of the wrong kind.",
    ),
    Verdict.TIME_LIMIT: (
        "Time limit",
        "limit",
        "A case took longer than the problem allows, or never ended.",
    ),
    Verdict.MEMORY_LIMIT: (
        "Memory limit",
        "limit",
        "The program asked for more memory than the problem allows.",
    ),
    Verdict.OUTPUT_LIMIT: ("Output limit", "limit", "The program printed more than is kept."),
    Verdict.REJECTED: (
        "Rejected",
        "bad",
        "A rule of the problem was broken, such as writing to an input. The report names the rule.",
    ),
    Verdict.INTERNAL_ERROR: (
        "Internal error",
        "void",
        "The judge failed, not the program. It does not count, and can be judged again.",
    ),
    Verdict.CANCELLED: ("Cancelled", "void", "Its author withdrew it before it was judged."),
}

PENDING = Look("Judging", "live", "pending", "The verdict is not in yet.")


def look_of(verdict: str | None) -> Look:
    """How to show `verdict`, by its value; None is a verdict that is not in yet."""
    if verdict is None:
        return PENDING
    known = Verdict(verdict)
    word, tone, meaning = _LOOKS[known]
    return Look(word, tone, known.value, meaning)


def all_looks() -> list[tuple[Verdict, Look]]:
    """Every verdict with its look, in the order of the vocabulary."""
    return [(verdict, look_of(verdict)) for verdict in Verdict]
