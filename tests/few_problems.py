"""A folder with a few of the shipped problems, for sites that need no others.

Each start of a site reads all packages of its folder, which takes longer than all other preparation.
"""

import shutil
from pathlib import Path

from problems.loader import problems_root

VECTOR_ADD, SUM = "vector-add", "reduction-sum"


def put_problems(into: Path, *slugs: str) -> Path:
    """Copy these packages into the folder `problems` of `into`. Returns that folder."""
    problems = into / "problems"
    for slug in slugs:
        shutil.copytree(problems_root() / slug, problems / slug)
    return problems
