"""Rules for usernames."""

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

# Visitors can't sign up with these names, because they look official or like a page of the site. The operator
# can still assign them.
RESERVED = [
    *("admin", "administrator", "root", "superuser", "sysadmin", "system", "operator"),
    *("staff", "moderator", "support", "help", "security", "abuse", "instructor", "instructors"),
    *("warpcourt", "judge", "referee", "oracle", "official", "api", "www", "mail", "static"),
    *("webmaster", "postmaster", "hostmaster", "noreply", "no-reply", "account", "accounts"),
    *("login", "logout", "signup", "settings", "me", "everyone", "anonymous", "deleted"),
    *("nobody", "none", "null", "undefined", "unknown"),
]
