"""The interface between an importer and the oracle's sandbox, the only place where an author's Python runs.

Theory of operation. An importer reads and parses files, but never imports or runs them. To examine a
problem's tests, it composes one text, `imported.py`, from the author's files as strings and Warpcourt's
adapter, and an `Examiner` runs this text. Later, the same text with constants filled in is the package's
`reference.py`, so the examined code is the code that judges. `judge.proof.examination` implements the
examiner.
"""

import ast
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Protocol

from problems.importing.described import Described
from problems.importing.report import Refused
from problems.parsing import parse

# Solutions next to definitions have such names, after their language.
_PROVIDED = sys.stdlib_module_names | {"numpy", "torch", "triton"}
MAX_SOURCE_KIB = 96  # together they must fit reference.py, with the adapter


class Examiner(Protocol):
    """Runs an adapter with an author's files in a sandbox, and describes the problem."""

    def examine(self, source: str) -> Described:
        """Describe the problem whose adapter is `source`.

        Raises:
            Refused: the author's code fails, takes too long or needs too much memory. The message has the
                reason.
        """


def adapter(format_name: str, constants: Mapping[str, str], *further: str) -> str:
    """Return an adapter's text: the constants (Python code), the common part, and the format's part."""
    folder = resources.files("problems.importing") / "adapters"
    names = ("common", format_name, *further)
    parts = [(folder / f"{name}.py").read_text(encoding="utf-8") for name in names]
    head = "\n".join(f"{name} = {value}" for name, value in constants.items())
    return "\n\n".join([head, *parts])


def quoted(text: str) -> str:
    """Return a Python literal of `text`, which is readable and editable if its contents allow that."""
    for quotes in ("'''", '"""'):
        plain = "\r" not in text and "\0" not in text
        if plain and quotes not in text and not text.endswith(("\\", quotes[0])):
            return f"r{quotes}{text}{quotes}"
    return repr(text)


def quoted_files(files: Mapping[str, str]) -> str:
    """Return a Python literal of files by their names."""
    inner = "".join(f"\n    {name!r}: {quoted(text)}," for name, text in files.items())
    return f"{{{inner}\n}}"


def read_source(path: Path) -> str:
    """Return the text of a Python file of a set. Raises Refused if it is not one."""
    try:
        if path.is_symlink() or not path.is_file():
            raise Refused(f"{path.name[:80]} is missing or not a regular file")
        content = path.read_bytes()[: MAX_SOURCE_KIB * 1024 + 1]
    except OSError as error:  # a name that is too long, among others
        raise Refused(f"{path.name[:80]} cannot be read ({error.strerror})") from error
    if len(content) > MAX_SOURCE_KIB * 1024:
        raise Refused(f"{path.name} is larger than {MAX_SOURCE_KIB} KiB")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        parse(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise Refused(f"{path.name} is not valid Python: {error}") from error
    return text


def with_imports(main: Path, name: str, roots: Sequence[Path]) -> dict[str, str]:
    """Return `main` under `name`, and the modules below `roots` that it imports, directly or indirectly.

    Other modules must be installed in the sandbox. Raises Refused.
    """
    found = {name: read_source(main)}
    pending = [found[name]]
    while pending:
        for module in sorted(_imported(pending.pop())):
            place, path = _file_of(module, roots)
            if path is not None and place not in found:
                found[place] = read_source(path)
                pending.append(found[place])
    if sum(len(text.encode()) for text in found.values()) > MAX_SOURCE_KIB * 1024:
        raise Refused(f"its Python files are larger than {MAX_SOURCE_KIB} KiB together")
    return found


def _imported(text: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _file_of(module: str, roots: Sequence[Path]) -> tuple[str, Path | None]:
    parts = module.split(".")
    if not all(part.isidentifier() for part in parts) or parts[0] in _PROVIDED:
        return "", None
    for root in roots:
        for place in ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"])):
            path = root / place
            if path.is_file() and not any(
                p.is_symlink() for p in (path, *path.parents) if p.is_relative_to(root)
            ):
                return place, path
    return "", None
