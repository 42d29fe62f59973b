"""Hints: `hints/1.md` to `hints/3.md`. Learners open them in order, and each tells more than the last."""

from collections.abc import Mapping
from itertools import pairwise

from problems.faults import Faults

MAX_HINTS = 3
MAX_HINT_CHARACTERS = 2000
HINT_FILES = tuple(f"hints/{number}.md" for number in range(1, MAX_HINTS + 1))
_FOLDER = "hints/"


def check_hints(texts: Mapping[str, str], faults: Faults) -> None:
    """Refuse hints in a package's `texts` that are too many, too long, misnamed, or lack an earlier hint.

    Empty files are refused when they are read.
    """
    for path in texts:
        if path.startswith(_FOLDER) and path not in HINT_FILES:
            number = path.removeprefix(_FOLDER).removesuffix(".md")
            if number.isdecimal() and int(number[:4]) > MAX_HINTS:
                faults.add(path, "", f"a problem has at most {MAX_HINTS} hints; remove it")
            else:
                faults.add(path, "", f"unknown hint; name it {', '.join(HINT_FILES)}")
    for before, path in pairwise(HINT_FILES):
        if path in texts and before not in texts:
            faults.add(path, "", f"{before} is missing; number the hints from 1 without gaps")
    for path in HINT_FILES:
        if (length := len(texts.get(path, ""))) > MAX_HINT_CHARACTERS:
            faults.add(path, "", f"has {length} characters; at most {MAX_HINT_CHARACTERS} are allowed")
