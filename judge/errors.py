"""Errors of the judge itself.

JudgeError
+-- OracleFailed         the author's code broke, or broke its contract
+-- RunnerUnusable       a runner died before it had loaded any code of a submission
+-- CompilerBroken       the compile sandbox failed on our account
+-- LanguageMissing      this host judges no such language
+-- LibraryMissing       this host cannot link a library that the program uses
+-- GpusMissing          this host has fewer GPUs than the problem needs
+-- GpuUnavailable       every GPU of this node is quarantined, or has gone
+-- Disturbed            the GPU failed while others shared it; `evaluate` runs the program again, alone
|   +-- NeverQuiet       the program was alone, and still the GPU was never quiet enough to time it
+-- JudgementCancelled   the caller gave up; `evaluate` turns it into a verdict
"""


class JudgeError(Exception):
    """Raised when judging failed through no fault of the submission. Retried, never charged."""


class OracleFailed(JudgeError):
    """Raised when the generator or the reference of a problem fails, with its output."""


class CheckerFailed(OracleFailed):
    """Raised when the checker of a problem fails, with its output."""


class RunnerUnusable(JudgeError):
    """Raised when a fresh runner does not come up."""


class CompilerBroken(JudgeError):
    """Raised when the compile sandbox fails for a reason that is not the source, with its output."""


class LanguageMissing(JudgeError):
    """Raised for a submission in a language that was left out when this host was set up."""


class LibraryMissing(JudgeError):
    """Raised if a program uses a library that this host's toolkit lacks."""


class GpusMissing(JudgeError):
    """Raised for a problem that needs more GPUs than this host has in use. Another host may have them."""


class GpuUnavailable(JudgeError):
    """Raised when no GPU of this node can be used now, with the reason of each."""


class Disturbed(JudgeError):
    """Raised when another program may have ended the run: the GPU's contexts died, or it hung.

    Under MPS a fault of one client ends all. The program is charged only after a run alone.
    """


class NeverQuiet(Disturbed):
    """Raised when the GPU stayed busy during timing although no other process was seen on it.

    The first time this may be chance. The second time the program is rejected.
    """


class JudgementCancelled(JudgeError):
    """Raised inside the judge when the caller cancelled; `evaluate` turns it into a verdict."""
