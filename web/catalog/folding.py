"""Folds the section of a statement that reveals too much at a first reading."""

import re
from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe

FOLDED = "What bounds it"
_SECTION = re.compile(r"(?=<h2[ >])")
_HEADING = re.compile(r"(<h2[^>]*>)(.*?)</h2>", re.DOTALL)
_NESTS = ("blockquote", "details", "ul", "li")
_ANCHOR = re.compile(r'<a class="anchor"[^>]*>#</a>')


@lru_cache(maxsize=256)
def folded(html: SafeString, original: SafeString) -> SafeString:
    """Return the rendered statement `html` with its section *What bounds it* folded. Works without scripts.

    In a translation, the section has another name. If the translation has as many sections as `original`, the
    rendered original statement, the section at the same position is folded.
    """
    sections, named = _SECTION.split(html), _SECTION.split(original)
    places = [at for at, section in enumerate(named) if _title(section) == FOLDED]
    if not places or len(sections) != len(named):
        return html
    at = places[0]
    heading = _HEADING.match(sections[at])
    if heading is None or any(
        sections[at].count(f"<{tag}>") != sections[at].count(f"</{tag}>") for tag in _NESTS
    ):
        return html  # the next heading is inside a list or a quotation that began in this section
    # The summary is a control, so it must not contain a link.
    title = f"{heading[1]}{_ANCHOR.sub('', heading[2])}</h2>"
    body = sections[at][heading.end() :]
    sections[at] = f'<details class="fold"><summary>{title}</summary>{body}</details>\n'
    return mark_safe("".join(sections))  # noqa: S308 - parts of safe HTML, cut between its top-level elements


def _title(section: str) -> str:
    heading = _HEADING.match(section)
    return _ANCHOR.sub("", heading[2]).strip() if heading else ""
