"""Lets the interpreter evaluate `and`, `or` and `not` as Triton's compiler does: for each element of a block.

Python would ask a whole block for its truth value. The compiler applies the operators to the elements, and
stops early only at constants.
"""

import ast
from collections.abc import Callable
from typing import Any

import triton.language as tl  # type: ignore[import-untyped]
from triton.runtime import interpreter  # type: ignore[import-untyped]

_COMBINE, _NEGATE = "_warpcourt_combine", "_warpcourt_negate"  # functions that kernels call
_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def install() -> None:
    """Rewrite the operators in the kernels of this process."""
    interpreter.FunctionRewriter.ast_transformer = _Transformer()
    vars(interpreter).update({_COMBINE: _combined, _NEGATE: _negated})  # kernels get these names


class _Transformer(interpreter.ASTTransformer):  # type: ignore[misc]
    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:  # noqa: N802 - a name of ast
        """Call `_combined` with the operands, each as a function."""
        self.generic_visit(node)
        operands = [ast.Lambda(args=_NO_ARGUMENTS, body=value) for value in node.values]
        return _call(node, _COMBINE, [ast.Constant(isinstance(node.op, ast.And)), *operands])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:  # noqa: N802
        """Call `_negated` instead of `not`."""
        self.generic_visit(node)
        return _call(node, _NEGATE, [node.operand]) if isinstance(node.op, ast.Not) else node


def _call(node: ast.AST, function: str, arguments: list[ast.expr]) -> ast.AST:
    return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), arguments, []), node)


def _combined(conjunction: bool, *operands: Callable[[], Any]) -> Any:
    dynamic: list[Any] = []
    value: Any = None
    for operand in operands:
        value = operand()
        if isinstance(value, tl.tensor):
            dynamic.append(value)
        elif bool(value) is not conjunction:
            return value
    while len(dynamic) > 1:
        right, left = dynamic.pop(), dynamic.pop()
        dynamic.append(left.logical_and(right) if conjunction else left.logical_or(right))
    return dynamic[0] if dynamic else value


def _negated(value: Any) -> Any:
    return value.__not__() if isinstance(value, tl.tensor) else not value
