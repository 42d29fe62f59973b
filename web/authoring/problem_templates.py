"""Templates for new problems. Each of them is a complete, working package.

They are in `problems/templates`. A test proves them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from problems.contents import DESCRIPTION, read_folder
from problems.loader import problems_root
from web.authoring.editing.document import change_top


@dataclass(frozen=True, slots=True)
class ProblemTemplate:
    """A template: the name of its folder, its name on the page, and a description."""

    name: str
    label: str
    words: str


PROBLEM_TEMPLATES = (
    ProblemTemplate(
        "elementwise",
        "Elementwise",
        "Each output depends on the inputs at the same index. Example: a product of two vectors.",
    ),
    ProblemTemplate(
        "reduction",
        "Reduction",
        "Many values become one. Example: a sum of squares, with a tolerance for the order.",
    ),
    ProblemTemplate(
        "matrix", "Matrix", "Two-dimensional arrays, wide and tall. Example: a matrix times a vector."
    ),
    ProblemTemplate(
        "stencil",
        "Stencil",
        "Each output depends on a neighbourhood. Example: the mean of four neighbours, with borders.",
    ),
    ProblemTemplate(
        "scan", "Scan", "Each output depends on all earlier inputs. Example: running sums, compared exactly."
    ),
    ProblemTemplate("sort", "Sort", "Elements change places. Example: short rows, each sorted."),
    ProblemTemplate("image", "Image", "Pixels of three bytes. Example: a horizontal flip."),
    ProblemTemplate(
        "tests",
        "Tests",
        "Submissions are tests: they pass right programs and refuse faulty ones. Example: a maximum search.",
    ),
    ProblemTemplate(
        "custom", "Custom", "The smallest template: an array modified in place, with a comment on every part."
    ),
)


def begin(kind: str, *, title: str) -> Mapping[str, bytes]:
    """Return the files of a new problem from the template `kind`, with the title `title`."""
    files = dict(read_folder(problems_root() / "templates" / kind).files)
    files[DESCRIPTION] = change_top(files[DESCRIPTION].decode(), {"title": title}).encode()
    return files
