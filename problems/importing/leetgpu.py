"""Reads LeetGPU challenge folders: `challenges/<difficulty>/<id>_<slug>/` with challenge.py, challenge.html.

The importer never imports the class `Challenge`. It passes the file to the sandbox as text, with the modules
below `challenges/` that it imports, mainly `core.challenge_base`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from problems.importing.building import ProblemSource
from problems.importing.html import to_markdown
from problems.importing.names import slug_of
from problems.importing.report import Refused
from problems.importing.sandboxed import with_imports
from problems.importing.svg import cleaned
from problems.vocabulary import Difficulty, Language

FORMAT = "leetgpu"
_MAIN = "challenge.py"
_MOST_HTML_KIB = 512
_MOST_STARTER_KIB = 32
_STARTERS = {
    Language.CUDA: "starter.cu",
    Language.TRITON: "starter.triton.py",
    Language.PYTHON: "starter.pytorch.py",
}


def find(folder: Path) -> Iterator[Path]:
    """The folders of problems below `folder`, in order: a set, one difficulty of it, or one challenge."""
    yield from (path.parent for path in sorted(folder.rglob(_MAIN)) if not path.is_symlink())


def read(folder: Path, *, within: Path) -> ProblemSource:
    """Read the challenge in `folder`. Modules are looked for up to `within`, never above.

    Raises:
        Refused: a file is missing or does not have this format.
    """
    root = _root(folder, within)
    files = with_imports(folder / _MAIN, _MAIN, [root, folder])
    figures: dict[str, bytes] = {}

    def keep(drawing: str, number: int) -> bool:
        content = cleaned(drawing)
        if content is None:
            return False
        figures[f"figure-{number}.svg"] = content
        return True

    # Numbers of drawings count those that were kept, as their figures do.
    markdown = to_markdown(_html(folder), keep)
    warnings = [*markdown.warnings]
    if figures:
        warnings.append("the alternative texts of its figures are placeholders: describe each figure")
    return ProblemSource(
        format=FORMAT,
        place=str(folder.relative_to(within)) if folder != within else folder.name,
        slug=slug_of(folder.name),
        files=files,
        constants={"MAIN": repr("challenge")},
        markdown=markdown.text,
        difficulty=_difficulty(folder),
        figures=figures,
        starters=_starters(folder, warnings),
        warnings=tuple(warnings),
    )


def _root(folder: Path, within: Path) -> Path:
    """The folder that modules are imported from: the nearest one with `core`, as `challenges/` is."""
    for candidate in [folder, *folder.parents]:
        if (candidate / "core" / "challenge_base.py").is_file():
            return candidate
        if (candidate / "challenges" / "core" / "challenge_base.py").is_file():
            return candidate / "challenges"
        if candidate == within:
            break
    raise Refused(
        "challenges/core/challenge_base.py is not in the set; every challenge imports it: "
        "upload the whole set"
    )


def _difficulty(folder: Path) -> Difficulty:
    words = {parent.name for parent in folder.parents}
    return next((d for d in Difficulty if d.value in words), Difficulty.MEDIUM)


def _html(folder: Path) -> str:
    path = folder / "challenge.html"
    if path.is_symlink() or not path.is_file():
        raise Refused("challenge.html is missing")
    content = path.read_bytes()[: _MOST_HTML_KIB * 1024 + 1]
    if len(content) > _MOST_HTML_KIB * 1024:
        raise Refused(f"challenge.html is larger than {_MOST_HTML_KIB} KiB")
    return content.decode("utf-8", "replace").replace("\0", "").replace("\r\n", "\n")


def _starters(folder: Path, warnings: list[str]) -> Mapping[Language, str]:
    """The author's starters that define `solve`; the others are derived from the signature."""
    found = {}
    for language, name in _STARTERS.items():
        path = folder / "starter" / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_STARTER_KIB * 1024:
            continue
        text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
        if re.search(r"\bsolve\s*\(", text):
            found[language] = text
        else:
            warnings.append(f"starter/{name} does not define solve; the importer derived one")
    return found
