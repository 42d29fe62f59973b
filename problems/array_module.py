"""Checks that the functions of an author use the array module that they get.

A file that imports NumPy works on a CPU and fails on a GPU, where the arrays are CuPy's.
"""

import ast
from collections.abc import Iterator

from problems.faults import Faults

_MODULES = ("numpy", "cupy")


def check_array_module(name: str, source: str, faults: Faults) -> None:
    """Report the first import of NumPy or CuPy in the file `name`, whose Python code is `source`.

    Invalid Python is not reported, because running the file does so.
    """
    if not any(module in source for module in _MODULES):
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for line, module in sorted(_imports(tree)):
        if module.partition(".")[0] in _MODULES:
            text = f"line {line} imports {module}; use xp, which is NumPy on a CPU and CuPy on a GPU"
            faults.add(name, "", text)
            return


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module
