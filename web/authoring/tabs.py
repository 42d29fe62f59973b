"""The tabs of a workspace, in the order of the navigation.

Each is a page of its own: `author-<name>` is the name of its address, which takes the workspace's slug,
`web/authoring/views/<name>.py` its views, `authoring/<name>.html` its template, which extends
`authoring/workspace.html`.
"""

from dataclasses import dataclass


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


TABS = (
    Tab("statement", "Statement", ("statement.md", "figures/")),
    Tab("signature", "Signature", ("problem.toml", "starter/")),
    Tab("reference", "Generator and reference", ("reference.py",)),
    Tab("cases", "Cases", ("problem.toml",)),
    Tab("checking", "Checking", ("problem.toml", "checker.py")),
    Tab("solutions", "Solutions", ("problem.toml", "solutions/")),
    Tab("limits", "Limits", ("problem.toml",)),
    Tab("formulas", "Formulas", ("problem.toml",)),
    Tab("editorial", "Editorial", ("editorial.md",)),
    Tab("files", "Files"),
    Tab("proof", "Proof"),
    Tab("publish", "Publish"),
    Tab("history", "History"),
    Tab("people", "People"),
)
