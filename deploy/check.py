"""Check the changed files: style, layers, and the unit tests that import them.

    make check [FILES="judge/clock tests/unit/judge/clock/test_session.py"]

FILES are files or folders. Default: the files that differ from the last commit. The tests are those under
`tests/unit` that import one of the modules directly, or are in FILES.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / "bin"


def main() -> int:
    """Return the exit status of the first check that fails, and 0 if none does."""
    files = sources(sys.argv[1:] or changed())
    if not files:
        sys.stdout.write(
            "No files changed since the last commit. To check others: make check FILES=judge/clock\n"
        )
        return 0
    names = [str(file.relative_to(ROOT)) for file in files]
    checks = [["ruff", "check", *names], ["ruff", "format", "--check", *names], ["lint-imports"]]
    if tests := [str(test.relative_to(ROOT)) for test in tests_of(files)]:
        checks.append(["pytest", "-q", "-n", "2", "--dist", "loadgroup", *tests])
    for program, *arguments in checks:
        sys.stdout.write(f"== {' '.join([program, *arguments[:3]])}\n")
        sys.stdout.flush()
        status = subprocess.run([BIN / program, *arguments], cwd=ROOT, check=False).returncode
        if status:
            return status
    return 0


def changed() -> list[str]:
    """Return the files that differ from the last commit, including new files."""
    lines = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return [line[3:].rpartition(" -> ")[2] for line in lines]


def sources(names: Iterable[str]) -> list[Path]:
    """Return the Python files in `names`, and those below the folders in `names`."""
    paths = [ROOT / name for name in names]
    found = [file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])]
    return sorted(file for file in found if file.suffix == ".py" and file.exists())


def tests_of(files: Iterable[Path]) -> list[Path]:
    """Return the tests in `files`, and the tests in `tests/unit` that import a module in `files`."""
    own = {file for file in files if file.name.startswith("test_")}
    modules = {module_of(file) for file in files} - {module_of(file) for file in own}
    unit = (ROOT / "tests" / "unit").rglob("test_*.py")
    return sorted(own | {test for test in unit if not modules.isdisjoint(imports_of(test))})


def module_of(file: Path) -> str:
    """Return the dotted name of the module in `file`. For an `__init__.py`, return that of the package."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(file: Path) -> set[str]:
    """Return the modules that a file imports, and the dotted names that it imports from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update({node.module}, (f"{node.module}.{alias.name}" for alias in node.names))
    return found


if __name__ == "__main__":
    sys.exit(main())
