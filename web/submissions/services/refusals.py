"""The reasons to refuse a submission.

SubmissionRefused
+-- SourceUnacceptable       empty, too long, or not text
+-- LanguageUnavailable      the problem is not offered in it
+-- SizesUnacceptable        custom sizes that the problem does not have
+-- ValuesUnacceptable       custom values that do not fit the problem
+-- SeedUnacceptable         a custom seed for a submit, or out of range
+-- PersonalNodeUnavailable  no node of the user is running, or it may not judge this
+-- ProfileUnavailable       not a run of CUDA C++, or no GPU for it
+-- GpuNotOffered            no GPU of the model that was requested is in use
+-- LimitReached             too many at a time, in a minute, or in a day, or no GPU time left
+-- KeyReused                the idempotency key belongs to another submission
"""


class SubmissionRefused(Exception):
    """Base class of the reasons to refuse a submission. The message is for its author."""


class SourceUnacceptable(SubmissionRefused):
    """Raised when the source is empty, too long, or holds NUL characters."""


class LanguageUnavailable(SubmissionRefused):
    """Raised when the problem cannot be solved in the language."""


class SizesUnacceptable(SubmissionRefused):
    """Raised when sizes are given for a submit, or do not name the problem's sizes."""


class ValuesUnacceptable(SubmissionRefused):
    """Raised when values are given for a submit, or do not fit the problem."""


class SeedUnacceptable(SubmissionRefused):
    """Raised when a seed is given for a submit, or is not a 63-bit number."""


class GpuNotOffered(SubmissionRefused):
    """Raised when no node has a GPU of the requested model in use."""


class PersonalNodeUnavailable(SubmissionRefused):
    """Raised when the user's node is not running, or may not judge what was requested."""


class ProfileUnavailable(SubmissionRefused):
    """Raised when a program cannot be profiled: it is not a run, not CUDA C++, or there is no GPU for it."""


class LimitReached(SubmissionRefused):
    """Raised when the user has too many unfinished submissions, made too many, or used up the GPU time."""


class KeyReused(SubmissionRefused):
    """Raised when the idempotency key was used for another program."""
