"""Reads the numbers that learners type: `1e3`, `1_000`, `1,000`, `1 000`, with or without the unit."""

import re

MAX_CHARACTERS = 40
_GROUP_SIGNS = ",_ \u00a0\u202f"  # comma, underscore, and a plain, a no-break and a narrow no-break space
_GROUPED = re.compile(rf"([0-9]{{1,3}}(?:([{_GROUP_SIGNS}])[0-9]{{3}})(?:\2[0-9]{{3}})*)([.][0-9]*)?")
_PLAIN = re.compile(r"(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


class AnswerUnreadable(ValueError):
    """Raised when a text is not a number in a known spelling. The message tells the learner what to write."""


def read_number(text: str, unit: str = "") -> float:
    """The number that `text` spells. It may end with `unit`.

    Raises:
        AnswerUnreadable: it is not a finite number.
    """
    if len(text) > MAX_CHARACTERS:
        raise AnswerUnreadable(f"Write at most {MAX_CHARACTERS} characters.")
    words = text.strip().replace("\u2212", "-")
    if unit and words.endswith(unit):
        words = words.removesuffix(unit).strip()
    if not words:
        raise AnswerUnreadable("Write a number.")
    sign = -1.0 if words.startswith("-") else 1.0
    digits = words[1:].lstrip() if words[0] in "+-" else words
    if grouped := _GROUPED.fullmatch(digits):
        digits = re.sub("[^0-9]", "", grouped[1]) + (grouped[3] or "")
    if not _PLAIN.fullmatch(digits):
        raise AnswerUnreadable(_advice(digits, unit))
    value = sign * float(digits)
    if abs(value) > 1e300:
        raise AnswerUnreadable("This number is too large.")
    return value


def _advice(digits: str, unit: str) -> str:
    if "," in digits:
        return "Write a decimal point, such as 1.5. A comma separates groups of three digits, such as 1,500."
    end = f" in {unit}" if unit else ""
    return f"Write a number{end}, such as 1500, 1,500, 1_500 or 1.5e3."
