"""The kinds of problems that an author can begin with: each a package that works as it is.

They are in `problems/templates`, and a test proves them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from problems.contents import DESCRIPTION, read_folder
from problems.loader import problems_root
from web.authoring.editing.document import change_top


@dataclass(frozen=True, slots=True)
class Kind:
    """A template: the name of its folder, what the page calls it, and what it begins with."""

    name: str
    label: str
    words: str


KINDS = (
    Kind(
        "elementwise",
        "Elementwise",
        "Each output from the inputs at the same place: a product of two vectors.",
    ),
    Kind(
        "reduction", "Reduction", "Many numbers become one: a sum of squares, with a tolerance for its order."
    ),
    Kind("matrix", "Matrix", "Arrays of two dimensions, wide and tall: a matrix times a vector."),
    Kind(
        "stencil", "Stencil", "Each output from a neighbourhood: the mean of four neighbours, with borders."
    ),
    Kind("scan", "Scan", "Each output from all inputs before it: running sums, compared exactly."),
    Kind("sort", "Sort", "Elements change places: short rows, each sorted."),
    Kind("image", "Image", "Pixels of three bytes: left and right exchanged."),
    Kind("custom", "Custom", "The smallest of all, an array changed in place, with a comment on every part."),
)


def begin(kind: str, *, title: str) -> Mapping[str, bytes]:
    """The files of a new problem of a kind, called `title`."""
    files = dict(read_folder(problems_root() / "templates" / kind).files)
    files[DESCRIPTION] = change_top(files[DESCRIPTION].decode(), {"title": title}).encode()
    return files
