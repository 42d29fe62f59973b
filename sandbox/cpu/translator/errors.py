"""Errors of the translation from PTX to C++.

TranslationError
├── PtxSyntaxError    the text is not PTX, or is beyond a limit
├── DuplicateLabel    inline assembly defines a label twice
├── MemoryExceeded    the program's variables do not fit
└── UnsupportedForm   one instruction whose form no table knows
"""


class TranslationError(Exception):
    """Base class of the translator's errors."""


class PtxSyntaxError(TranslationError):
    """Raised when the text cannot be read; `line` is the line of the PTX file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"PTX line {line}: {message}")
        self.line = line


class DuplicateLabel(TranslationError):
    """Raised for a label that occurs twice in one scope, for example from inline assembly without braces."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the label {name[:80]} is defined twice; put braces round the assembly")


class MemoryExceeded(TranslationError):
    """Raised if the variables of a program need more memory than a GPU or functional mode provides."""


class UnsupportedForm(TranslationError):
    """Raised by a table for an unknown form. The program fails only if it reaches that instruction."""
