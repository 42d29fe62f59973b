"""Errors of the judge itself.

JudgeError
+-- OracleFailed     the author's code broke, or broke its contract
+-- RunnerUnusable   a runner died before it had loaded any code of a submission
"""


class JudgeError(Exception):
    """Raised when judging failed through no fault of the submission. Retried, never charged."""


class OracleFailed(JudgeError):
    """Raised when the generator or the reference of a problem fails, with its output."""


class RunnerUnusable(JudgeError):
    """Raised when a fresh runner does not come up."""


class CompilerBroken(JudgeError):
    """Raised when the compile sandbox fails for a reason that is not the source, with its output."""


class LanguageMissing(JudgeError):
    """Raised for a submission in a language that was left out when this host was set up."""


class JudgementCancelled(JudgeError):
    """Raised inside the judge when the caller cancelled; `evaluate` turns it into a verdict."""
