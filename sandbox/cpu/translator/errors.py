"""Errors of the translation from PTX to C++.

TranslationError
├── PtxSyntaxError    the text is not PTX, or is beyond a limit
├── DuplicateLabel    inline assembly defines a label twice
├── MemoryExceeded    the program's variables do not fit
└── UnsupportedForm   one instruction whose form no table knows
"""


class TranslationError(Exception):
    """Root of the translator's errors."""


class PtxSyntaxError(TranslationError):
    """Raised when the text cannot be read; `line` is the line of the PTX file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"PTX line {line}: {message}")
        self.line = line


class DuplicateLabel(TranslationError):
    """Raised for a label that stands twice in one scope, as inline assembly without braces makes it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the label {name[:80]} is defined twice; put braces round the assembly")


class MemoryExceeded(TranslationError):
    """Raised when the variables of a program need more memory than a GPU, or functional mode, gives them."""


class UnsupportedForm(TranslationError):
    """Raised by a table for a form that it does not know; only reaching that instruction fails."""
