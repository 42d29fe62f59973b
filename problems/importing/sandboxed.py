"""The seam between an importer and the oracle's sandbox: an author's Python runs there and nowhere else.

Theory of operation. An importer reads files and parses them; it never imports or runs them. To learn what a
problem's tests look like it composes one text, `imported.py`, of the author's files as strings and an
adapter of ours, and has an `Examiner` run it. Later the same text, with constants filled in, is the
package's `reference.py`: what was examined is what judges. `judge.proof.examination` is the real examiner.
"""

import ast
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Protocol

from problems.importing.described import Described
from problems.importing.report import Refused

# Solutions next to definitions have such names, after their language.
_PROVIDED = sys.stdlib_module_names | {"numpy", "torch", "triton"}
MAX_SOURCE_KIB = 96  # together they must fit reference.py, with the adapter


class Examiner(Protocol):
    """Runs an adapter with an author's files, isolated, and says what it found."""

    def examine(self, source: str) -> Described:
        """Describe the problem whose adapter is `source`.

        Raises:
            Refused: the author's code fails, takes too long or too much memory, with the reason.
        """


def adapter(format_name: str, constants: Mapping[str, str], *further: str) -> str:
    """An adapter's text: the constants, each Python already, then the common part and the format's."""
    folder = resources.files("problems.importing") / "adapters"
    names = ("common", format_name, *further)
    parts = [(folder / f"{name}.py").read_text(encoding="utf-8") for name in names]
    head = "\n".join(f"{name} = {value}" for name, value in constants.items())
    return "\n\n".join([head, *parts])


def quoted(text: str) -> str:
    """A Python literal of `text` that can be read and edited wherever its contents allow that."""
    for quotes in ("'''", '"""'):
        plain = "\r" not in text and "\0" not in text
        if plain and quotes not in text and not text.endswith(("\\", quotes[0])):
            return f"r{quotes}{text}{quotes}"
    return repr(text)


def quoted_files(files: Mapping[str, str]) -> str:
    """A Python literal of files by their names."""
    inner = "".join(f"\n    {name!r}: {quoted(text)}," for name, text in files.items())
    return f"{{{inner}\n}}"


def read_source(path: Path) -> str:
    """The text of one Python file of a set. Raises Refused when it is none."""
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
        ast.parse(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise Refused(f"{path.name} is not valid Python: {error}") from error
    return text


def with_imports(main: Path, name: str, roots: Sequence[Path]) -> dict[str, str]:
    """`main` under `name`, and the modules below `roots` that it imports, directly or not, by their paths.

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
    for node in ast.walk(ast.parse(text)):
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
