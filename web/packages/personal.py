"""The part of a problem that a personal node gets. It suffices for runs and contains no hidden cases.

A personal node belongs to a learner, who can read everything that it gets. It gets the description with the
public cases, the reference and the checker. Hidden cases, solutions, the editorial and hints stay here. The
rules of packages require hidden cases and a solution. Placeholders replace them: hidden cases that repeat the
sizes of the first public case, and a file that says where the solutions are. Runs use neither.
"""

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit

from problems.archive import unpack
from problems.contents import DESCRIPTION, Contents
from problems.rules import REQUIRED_HIDDEN, SECTIONS
from problems.vocabulary import Group, Language, Verdict
from web.catalog.models import Problem
from web.packages.models import PackageVersion
from web.packages.queries import read_archive

_KEPT = ("reference.py", "checker.py")
_KEPT_KEYS = (
    "title",
    "summary",
    "difficulty",
    "tags",
    "languages",
    "oracle",
    "limits",
    "formulas",
    "python",
    "arguments",
)
_STAND_IN = "stand-in"
_STATEMENT = "This copy is for runs. The site shows the statement.\n\n" + "\n\n".join(SECTIONS) + "\n"


def public_part(problem: Problem, package_id: int | None) -> Contents | None:
    """Return the part of a version of `problem` for a personal node; None if the problem does not allow it.

    Problems that ask for tests never do: a node would get the programs under test.

    `package_id` is the version to which a submission is pinned; None stands for the live one.
    """
    wanted = package_id or problem.package_id
    if wanted is None or not problem.on_personal_nodes or problem.asks_for_tests:
        return None
    version = PackageVersion.objects.get(pk=wanted)
    return without_secrets(unpack(read_archive(version), slug=problem.slug))


def without_secrets(contents: Contents) -> Contents:
    """Return the files for a personal node, without the secret parts of `contents`."""
    described = tomllib.loads(contents.files[DESCRIPTION].decode())
    kept = {name: contents.files[name] for name in _KEPT if name in contents.files}
    public = _public(described)
    (solution,) = public["solutions"]
    files = {
        **kept,
        DESCRIPTION: tomlkit.dumps(public).encode(),
        "statement.md": _STATEMENT.encode(),
        f"solutions/{solution['file']}": b"The site has the solutions.\n",
    }
    return Contents(contents.slug, files)


def _public(described: Mapping[str, Any]) -> dict[str, Any]:
    cases = [case for case in described["cases"] if case["group"] == Group.SAMPLE.value]
    sizes = cases[0]["sizes"]
    stand_ins = [
        {"name": f"{_STAND_IN}-{group.value}", "group": group.value, "sizes": sizes}
        for group in REQUIRED_HIDDEN
    ]
    public = {name: described[name] for name in _KEPT_KEYS if name in described}
    language = Language(described.get("languages", [Language.CUDA.value])[0])
    solution = {
        "file": f"{_STAND_IN}{language.suffix}",
        "verdict": Verdict.ACCEPTED.value,
        "note": "Not here.",
    }
    return {**public, "cases": [*cases, *stand_ins], "solutions": [solution]}
