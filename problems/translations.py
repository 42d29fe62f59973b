"""Statements in other languages: `statement.de.md` next to `statement.md`.

Only the text differs. Judging, examples and argument names are those of the problem, so a translation changes
no verdict.
"""

import re
from collections.abc import Iterable

LOCALE = re.compile("[a-z]{2,3}(-[A-Z]{2})?")
TRANSLATION = re.compile(rf"statement\.({LOCALE.pattern})\.md")
_NAMES = {
    "ar": "العربية",
    "cs": "Čeština",
    "da": "Dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "es": "Español",
    "fa": "فارسی",
    "fi": "Suomi",
    "fr": "Français",
    "he": "עברית",
    "hi": "हिन्दी",
    "hu": "Magyar",
    "id": "Bahasa Indonesia",
    "it": "Italiano",
    "ja": "日本語",
    "ko": "한국어",
    "nb": "Norsk bokmål",
    "nl": "Nederlands",
    "pl": "Polski",
    "pt": "Português",
    "ro": "Română",
    "ru": "Русский",
    "sv": "Svenska",
    "tr": "Türkçe",
    "uk": "Українська",
    "vi": "Tiếng Việt",
    "zh": "中文",
}
_RIGHT_TO_LEFT = {"ar", "fa", "he"}
ORIGINAL = "en"  # the language of statements without a locale


def path_of(locale: str) -> str:
    """The file of a statement in that language."""
    return f"statement.{locale}.md"


def locale_of(path: str) -> str:
    """Return the language of the statement at `path`; empty if it is not a translation."""
    found = TRANSLATION.fullmatch(path)
    return found[1] if found else ""


def locales_in(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the languages of the translations in `paths`, in order."""
    return tuple(sorted(filter(None, map(locale_of, paths))))


def locale_name(locale: str) -> str:
    """Return a language's own name, with its region if it has one."""
    language, _, region = locale.partition("-")
    name = _NAMES.get(language, language)
    return f"{name} ({region})" if region else name


def direction_of(locale: str) -> str:
    """`rtl` for languages that are written from right to left, else `ltr`."""
    return "rtl" if locale.partition("-")[0] in _RIGHT_TO_LEFT else "ltr"


def preferred(accepted: str, known: Iterable[str]) -> str:
    """Return the `known` language that an Accept-Language header prefers to the original; empty if none.

    Source: RFC 9110, section 12.5.4, and lookup of RFC 4647, section 3.4.
    """
    available = {locale.lower(): locale for locale in known}
    for wanted in _by_weight(accepted):
        tag = wanted.lower()
        if tag in available:
            return available[tag]
        primary = tag.partition("-")[0]
        if primary in available:
            return available[primary]
        if primary in {ORIGINAL, "*"}:
            return ""
    return ""


def _by_weight(accepted: str) -> list[str]:
    weighted: list[tuple[float, int, str]] = []
    for at, part in enumerate(accepted.split(",")[:20]):
        tag, _, parameter = part.strip().partition(";")
        name, _, value = parameter.strip().partition("=")
        try:
            weight = float(value) if name.strip() == "q" else 1.0
        except ValueError:
            weight = 0.0
        if tag.strip() and weight > 0:
            weighted.append((-weight, at, tag.strip()))
    return [tag for _, _, tag in sorted(weighted)]
