"""The request body of a saved draft."""

import json
from dataclasses import dataclass
from typing import Self

_GREATEST = 2**31 - 1


class SaveMalformed(ValueError):
    """Raised when a request body is malformed. The message says what is expected."""


@dataclass(frozen=True, slots=True)
class Save:
    """The text to save, its base revision, and whether the replaced text must be kept."""

    source: str
    expected: int
    keep: bool

    @classmethod
    def parse(cls, body: bytes) -> Self:
        """Parse a JSON object with `source`, `expected` and optionally `keep`.

        Raises:
            SaveMalformed: the body has another format.
        """
        try:
            told = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise SaveMalformed("The body must be JSON.") from error
        if not isinstance(told, dict):
            raise SaveMalformed("The body must be a JSON object.")
        source, expected, keep = told.get("source"), told.get("expected"), told.get("keep", False)
        if not isinstance(source, str) or type(keep) is not bool:
            raise SaveMalformed("source must be a text, and keep true or false.")
        if type(expected) is not int or not 0 <= expected <= _GREATEST:
            raise SaveMalformed("expected must be the revision that the text was made from, 0 for none.")
        return cls(source, expected, keep)
