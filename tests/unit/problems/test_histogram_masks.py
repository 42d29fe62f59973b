"""Tests that shipped Triton programs do not use masks of `tl.histogram` that Triton compiles wrongly.

Functional mode interprets Triton programs, so it cannot find errors of Triton's compiler.
"""

import ast
from collections.abc import Iterator

from problems.loader import problems_root

_RESHAPES = {"ravel", "reshape", "view"}


def _calls(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            yield node


def test_no_histogram_has_a_mask_and_reshaped_values() -> None:
    """Triton 3.6.0 and 3.9.0 may reorder the reshaped values and the reshaped mask differently."""
    found = [
        f"{path.relative_to(problems_root())}:{call.lineno}"
        for path in sorted(problems_root().glob("*/solutions/*.py"))
        for call in _calls(ast.parse(path.read_text("utf-8")), {"histogram"})
        if any(keyword.arg == "mask" for keyword in call.keywords) and any(_calls(call, _RESHAPES))
    ]
    assert found == []
