"""Refuses Python code in kernels that Triton's compiler refuses, but its interpreter accepts.

Theory of operation. The compiler translates the syntax tree of a kernel. It supports only some kinds of
nodes, reads no global variables with plain Python values, and turns lists into tuples. It skips a branch
that a constant excludes, so a search of the text would refuse too much. Instead, this module changes
kernels when the interpreter rewrites them: it inserts calls that raise `Refused` where the code is
unsupported. So a program fails only when it reaches such code.

Some code passes that the compiler refuses: variables that change their type or shape in a loop, or that only
one branch sets, and calls of Python's functions with values of the kernel.
"""

import ast
import builtins
from types import FunctionType
from typing import Any, NoReturn

from triton import knobs  # type: ignore[import-untyped]
from triton.compiler.code_generator import CodeGenerator  # type: ignore[import-untyped]
from triton.runtime import interpreter  # type: ignore[import-untyped]

_KINDS = (
    *(ast.Break, ast.Continue, ast.Try, ast.Raise, ast.Match, ast.Global, ast.Nonlocal, ast.Delete),
    *(ast.Import, ast.ImportFrom, ast.ClassDef, ast.Lambda, ast.Dict, ast.Set, ast.DictComp, ast.SetComp),
    *(ast.GeneratorExp, ast.Yield, ast.YieldFrom),
)
_UNKNOWN = tuple(kind for kind in _KINDS if not hasattr(CodeGenerator, f"visit_{kind.__name__}"))
_WORDS = {
    "GeneratorExp": "a generator expression",
    "Yield": "yield",
    "YieldFrom": "yield",
    "DictComp": "a dictionary",
    "Dict": "a dictionary",
    "Set": "a set",
    "SetComp": "a set",
    "ClassDef": "a class",
    "Import": "an import",
    "ImportFrom": "an import",
    "Delete": "del",
}
_PLAIN = (bool, int, float, str, list, dict, set, tuple)
_GROWING = {"append", "extend", "insert", "pop", "remove"}
_REFUSE, _METHOD = "_warpcourt_refuse", "_warpcourt_method"  # functions that kernels call


class Refused(Exception):
    """Raised when a kernel reaches code that the compiler refuses."""


def install(filename: str) -> None:
    """Change the kernels of `filename` when the interpreter rewrites them."""
    rewriter = interpreter.FunctionRewriter
    transform = rewriter._transform_ast  # noqa: SLF001 - a seam

    def transforming(self: Any, source: str) -> Any:
        if self.filename != filename:
            return transform(self, source)
        names = self.fn.__globals__
        names[_REFUSE], names[_METHOD] = _refuse, _method
        tree = _marked(ast.parse(source), self.fn)
        tree = ast.fix_missing_locations(self.ast_transformer.visit(tree))
        return ast.increment_lineno(tree, self.def_file_lineno - 1)

    rewriter._transform_ast = transforming  # noqa: SLF001 - a seam


def refusal_among(error: BaseException | None) -> Refused | None:
    """Return the refusal that caused `error`, or None."""
    while error is not None and not isinstance(error, Refused):
        error = error.__cause__
    return error


def _refuse(kernel: str, what: str) -> NoReturn:
    raise Refused(f"Triton cannot compile kernel {kernel}: {what}")


def _method(owner: Any, name: str, kernel: str) -> Any:
    if isinstance(owner, list):
        _refuse(kernel, f"lists become tuples, which have no {name}. Use a tensor.")
    return getattr(owner, name)


def _marked(tree: ast.Module, function: Any) -> ast.Module:
    kernel, *rest = tree.body
    if rest or any(isinstance(node, ast.FunctionDef) for node in ast.walk(kernel) if node is not kernel):
        _refuse(
            function.__name__, "it defines a function. Move it out of the kernel, under its own @triton.jit."
        )
    assert isinstance(kernel, ast.FunctionDef)  # noqa: S101 - the interpreter cuts the text there
    nodes = list(ast.walk(tree))
    local = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    local |= {*function.__code__.co_freevars, *vars(builtins)}
    marker = _Marker(function, local)
    body = [marker.visit(statement) for statement in kernel.body]
    kernel.body = [one for found in body for one in (found if isinstance(found, list) else [found])]
    return tree


def _is_plain(value: object) -> bool:
    """Return whether it is a plain Python function, which the compiler cannot call."""
    return isinstance(value, FunctionType) and not (
        hasattr(value, "__triton_builtin__") or (value.__module__ or "").startswith("triton")
    )


class _Marker(ast.NodeTransformer):
    """Inserts calls of `_refuse` and `_method` where a kernel has code that the compiler refuses."""

    def __init__(self, function: Any, local: set[str]) -> None:
        self._kernel = function.__name__
        self._globals = function.__globals__
        self._local = local
        self._loops = 0  # around the current node that are not unrolled

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, _UNKNOWN):
            return super().visit(node)
        kind = type(node).__name__
        call = self._call(node, _REFUSE, f"it contains {_WORDS.get(kind, kind.lower())}.")
        if isinstance(node, ast.expr):
            return call
        return [ast.copy_location(ast.Expr(call), node), node]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Visit only the value: the interpreter does not evaluate the annotation."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Refuse a global variable that is not a constant of Triton."""
        value = self._globals.get(node.id)
        if node.id not in self._local and _is_plain(value):
            return self._call(node, _REFUSE, f"it uses the function {node.id}, which has no @triton.jit.")
        if (
            node.id in self._local
            or type(value) not in _PLAIN
            or knobs.compilation.allow_non_constexpr_globals
        ):
            return node
        return self._call(
            node,
            _REFUSE,
            f"it reads the global variable {node.id}. Write {node.id} = tl.constexpr(...) "
            "or pass it as an argument.",
        )

    def visit_For(self, node: ast.For) -> Any:
        """Refuse loops over anything but ranges, and `return` in loops that are not unrolled."""
        called = ast.unparse(node.iter.func) if isinstance(node.iter, ast.Call) else ""
        if called.rpartition(".")[2] not in {"range", "static_range", "condition"}:
            what = f"it loops over {ast.unparse(node.iter)}. Use range or tl.static_range."
            return [ast.copy_location(ast.Expr(self._call(node, _REFUSE, what)), node), node]
        return self._loop(node, unrolled=called.endswith("static_range"))

    def visit_While(self, node: ast.While) -> Any:
        """Refuse `return` in the loop."""
        return self._loop(node, unrolled=False)

    def visit_Return(self, node: ast.Return) -> Any:
        """Refuse it in a loop."""
        self.generic_visit(node)
        if not self._loops:
            return node
        call = self._call(node, _REFUSE, "it returns from a loop. Use a mask, or a condition of `while`.")
        return [ast.copy_location(ast.Expr(call), node), node]

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Refuse `in`."""
        self.generic_visit(node)
        if any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops):
            return self._call(node, _REFUSE, "it contains `in`.")
        return node

    def _loop(self, node: Any, *, unrolled: bool) -> Any:
        self._loops += not unrolled
        self.generic_visit(node)
        self._loops -= not unrolled
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Check the owner of a method that changes lists."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _GROWING:
            place = node.func
            call = self._call(place, _METHOD, place.attr)
            call.args = [place.value, ast.Constant(place.attr), ast.Constant(self._kernel)]
            node.func = ast.copy_location(call, place)
        return node

    def _call(self, node: ast.AST, name: str, what: str) -> ast.Call:
        function = ast.Name(id=name, ctx=ast.Load())
        call = ast.Call(func=function, args=[ast.Constant(self._kernel), ast.Constant(what)], keywords=[])
        return ast.copy_location(call, node)
