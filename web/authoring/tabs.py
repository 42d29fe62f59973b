"""The tabs of a workspace, in the order of the navigation.

Each tab is a separate page. The name of its address is `author-<name>`, which takes the workspace's slug. Its
views are in `web/authoring/views/<name>.py`. Its template is `authoring/<name>.html`, which extends
`authoring/workspace.html`.
"""

import re
from dataclasses import dataclass

from problems.hints import HINT_FILES


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of a workspace. `files` are the files that it edits. Their comments and faults mark the tab."""

    name: str
    label: str
    files: tuple[str, ...] = ()

    @property
    def url_name(self) -> str:
        """Return the name of its address."""
        return f"author-{self.name}"


@dataclass(frozen=True, slots=True)
class TabGroup:
    """Tabs that belong to one step of an author's work."""

    label: str
    tabs: tuple[Tab, ...]


GROUPS = (
    TabGroup(
        "Write",
        (
            Tab("statement", "Statement", ("statement.md", "figures/")),
            Tab("signature", "Signature", ("problem.toml", "starter/")),
            Tab("reference", "Generator and reference", ("reference.py",)),
            Tab("hints", "Hints", HINT_FILES),
            Tab("editorial", "Editorial", ("editorial.md",)),
        ),
    ),
    TabGroup(
        "Judge",
        (
            Tab("cases", "Cases", ("problem.toml",)),
            Tab("checking", "Checking", ("problem.toml", "checker.py")),
            Tab("solutions", "Solutions", ("problem.toml", "solutions/")),
            Tab("limits", "Limits", ("problem.toml",)),
            Tab("formulas", "Formulas", ("problem.toml",)),
        ),
    ),
    TabGroup(
        "Release",
        (
            Tab("proof", "Proof"),
            Tab("publish", "Publish"),
            Tab("files", "Files"),
            Tab("history", "History"),
            Tab("people", "Members"),
        ),
    ),
)
TABS = tuple(tab for group in GROUPS for tab in group.tabs)

_PLACES = tuple(
    (re.compile(pattern), tab)
    for pattern, tab in (
        (r"solutions/|problem\.toml: (solutions|mutants)", "solutions"),
        (r"problem\.toml: case", "cases"),
        (r"problem\.toml: arguments(?!.*tolerance).+", "signature"),
        (r"problem\.toml: (arguments|tolerance)", "checking"),
        (r"problem\.toml: (formulas|tiers)", "formulas"),
        (r"problem\.toml: (limits|languages|fix|test|requirements)", "limits"),
        (r"problem\.toml: (title|summary|difficulty|tags|track_day)\b", "statement"),
        (r"trivial program|checker\.py", "checking"),
        (r"mutant", "cases"),
        (r"reference\.py", "reference"),
        (r"statement\.|figures/", "statement"),
        (r"hints/", "hints"),
        (r"editorial\.md", "editorial"),
        (r"starter/", "signature"),
        (r"problem\.toml|programs/", "files"),
    )
)


def tab_of(place: str) -> str:
    """Return the tab on which the author can fix `place`, or an empty string if it is unknown.

    `place` belongs to a finding of a proof, or to a fault of the package.
    """
    return next((tab for pattern, tab in _PLACES if pattern.match(place)), "")
