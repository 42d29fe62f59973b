"""Reads the title from problem.toml, even if the rest of the file is invalid."""

import re
import tomllib

from problems.toml_bounds import toml_excess
from web.authoring.models import TITLE_CHARACTERS

_LINE = re.compile(r'^[ \t]*title[ \t]*=[ \t]*"([^"\\\n]*)"', re.MULTILINE)


def title_of(description: bytes) -> str:
    """Return the title in `description`, or an empty string.

    If it is not TOML, search for the title's line.
    """
    text = description.decode("utf-8", "replace")
    if toml_excess(text):
        return ""
    try:
        title = tomllib.loads(text).get("title", "")
    except (ValueError, RecursionError):
        found = _LINE.search(text)
        title = found.group(1) if found else ""
    return title[:TITLE_CHARACTERS].replace("\0", "") if isinstance(title, str) else ""
