"""Errors of the judge itself.

JudgeError
+-- OracleFailed         the author's code failed or broke its contract
+-- RunnerUnusable       a runner died before it loaded any code of a submission
+-- CompilerBroken       the compile sandbox failed, and the judge is at fault
+-- LanguageMissing      this host does not judge this language
+-- LibraryMissing       this host cannot link a library that the program uses
+-- GpusMissing          this host has fewer GPUs than the problem needs
+-- GpuUnavailable       every GPU of this node is quarantined or lost
+-- Disturbed            the GPU failed while others shared it; `evaluate` runs the program again, alone
|   +-- NeverQuiet       the program was alone, but the GPU was never quiet enough to time it
+-- JudgementCancelled   the caller cancelled; `evaluate` converts it to a verdict
"""


class JudgeError(Exception):
    """Raised if judging fails and the submission is not at fault.

    The job is retried, the user not charged.
    """


class OracleFailed(JudgeError):
    """Raised if the generator or the reference of a problem fails. The message has its output."""


class CheckerFailed(OracleFailed):
    """Raised if the checker of a problem fails. The message has its output."""


class RunnerUnusable(JudgeError):
    """Raised if a new runner does not start."""


class CompilerBroken(JudgeError):
    """Raised if the compile sandbox fails and the source is not the cause. The message has its output."""


class LanguageMissing(JudgeError):
    """Raised for a submission in a language that is not installed on this host."""


class LibraryMissing(JudgeError):
    """Raised if a program uses a library that this host's toolkit lacks."""


class GpusMissing(JudgeError):
    """Raised for a problem that needs more GPUs than this host uses. Another host may have enough."""


class GpuUnavailable(JudgeError):
    """Raised if no GPU of this node can be used now. The message has the reason for each GPU."""


class Disturbed(JudgeError):
    """Raised if another program may have ended the run: the contexts on the GPU died, or the GPU hung.

    Under MPS, a fault of one client ends all clients. The program is charged only after a run alone.
    """


class NeverQuiet(Disturbed):
    """Raised when the GPU stayed busy during timing although no other process was seen on it.

    The first time, this may be chance. The second time, the program is rejected.
    """


class JudgementCancelled(JudgeError):
    """Raised inside the judge when the caller cancelled; `evaluate` turns it into a verdict."""
