"""What a username may be."""

from collections.abc import Callable

from django.core.validators import MinLengthValidator, RegexValidator

MAX_CHARACTERS = 30

username_validators: list[Callable[[str], None]] = [
    MinLengthValidator(2),
    RegexValidator(
        r"\A[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z",
        "Use letters a to z, digits, and . _ - between them.",
    ),
]
