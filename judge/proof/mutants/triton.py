"""Mistakes in Triton programs. Each operator yields edits of the source that make a mistake."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from judge.proof.mutants.mutant import Edit, Mutant, Operator, Original, mutants_by_place
from problems.parsing import parse
from problems.vocabulary import Language

# Functions that the edits call. A float32 with a mantissa of seven bits is a bfloat16, which the interpreter
# lacks.
_PRELUDE = """

def warpcourt_fewer(grid, axis):
    if callable(grid):
        return lambda *given: warpcourt_fewer(grid(*given), axis)
    return tuple(max(1, size - (at == axis)) for at, size in enumerate(grid))


import triton as _warpcourt_triton
import triton.language as _warpcourt_language


@_warpcourt_triton.jit
def warpcourt_low(value):
    if value.dtype == _warpcourt_language.float32:
        bits = value.to(_warpcourt_language.int32, bitcast=True)
        return ((bits + 0x8000) & -0x10000).to(_warpcourt_language.float32, bitcast=True)
    elif value.dtype.is_floating():
        return value.to(_warpcourt_language.float16).to(value.dtype)
    elif value.dtype.primitive_bitwidth > 8:
        return value.to(_warpcourt_language.int8).to(value.dtype)
    else:
        return value & 15


@_warpcourt_triton.jit
def warpcourt_overwrite(pointer, value, mask=None, sem=None, scope=None):
    before = _warpcourt_language.load(pointer, mask=mask)
    _warpcourt_language.store(pointer, value, mask=mask)
    return before
"""

_MOST_AXES = 3


@dataclass(frozen=True, slots=True)
class TritonSource:
    """A Triton source: its syntax tree, its kernels and device functions, and the start of each line."""

    source: str
    tree: ast.Module
    functions: tuple[ast.FunctionDef, ...]
    language: str
    starts: tuple[int, ...]

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The source of `node`."""
        edit = self.edit(node, "")
        return self.source[edit.start : edit.end]

    def edit(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Return the edit that replaces `node` by `text`."""
        return Edit(
            self._place(node.lineno, node.col_offset),
            self._place(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
            text,
        )

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Yield the calls of these functions of triton.language in device code."""
        for function in self.functions:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and self._name_of(node.func) in names:
                    yield node

    def _name_of(self, node: ast.expr) -> str:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module == self.language:
                return name
        return ""

    def _place(self, line: int, column_bytes: int) -> int:
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.source)
        return start + len(self.source[start:end].encode()[:column_bytes].decode())


Find = Callable[[TritonSource], Iterator[Edit]]


def triton_mutants(file: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a Triton source, by operator and then by place.

    None if it is not valid Python.
    """
    try:
        yield from _mutants(file, source)
    except RecursionError:
        return  # an expression is nested too deeply for the parser


def _mutants(file: str, source: str) -> Iterator[Mutant]:
    program = _parsed(source)
    if program is None:
        return
    original = Original(file, Language.TRITON, source, _PRELUDE)
    for operator, finders in _OPERATORS.items():
        edits = (edit for find in finders for edit in find(program))
        yield from mutants_by_place(original, operator, edits)


def _parsed(source: str) -> TritonSource | None:
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = source.split("\n")  # split as the compiler counts lines
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    language = next(
        (
            alias.asname
            for node in tree.body
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.name == "triton.language" and alias.asname
        ),
        "tl",
    )
    functions = tuple(
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in node.decorator_list)
    )
    return TritonSource(source, tree, functions, language, tuple(starts))


def _bounds(program: TritonSource) -> Iterator[Edit]:
    """`at < n` becomes `at < n - 1`, and `range(0, n, …)` ends at `n - 1`."""
    for function in program.functions:
        for node in ast.walk(function):
            match node:
                case ast.Compare(ops=[ast.Lt(), *_], comparators=[bound, *_]):
                    pass
                case ast.Call(func=ast.Name(id="range"), args=[bound] | [_, bound, *_]):
                    pass
                case _:
                    continue
            text = program.text(bound)
            simple = isinstance(bound, ast.Name | ast.Constant | ast.Attribute)
            yield program.edit(bound, f"{text} - 1" if simple else f"({text}) - 1")


def _barriers(program: TritonSource) -> Iterator[Edit]:
    """Yield edits that remove a barrier."""
    for call in program.calls("debug_barrier"):
        yield program.edit(call, "None")


def _atomics(program: TritonSource) -> Iterator[Edit]:
    """Yield edits that turn an atomic update into a store, so that other threads' updates are lost."""
    for call in program.calls("atomic_add", "atomic_max", "atomic_min", "atomic_or", "atomic_and"):
        yield program.edit(call.func, "warpcourt_overwrite")


def _linear(program: TritonSource) -> Iterator[Edit]:
    """`row * cols + col` becomes `col * cols + row`, but not in values that are stored."""
    values = (value for call in program.calls("store") for value in call.args[1:2])
    stored = {id(node) for value in values for node in ast.walk(value)}
    for function in program.functions:
        for node in ast.walk(function):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add) or id(node) in stored:
                continue
            product, rest = node.left, node.right
            while isinstance(product, ast.BinOp) and isinstance(product.op, ast.Add):
                product = product.right  # pointer + row * cols + col
            if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
                first, second, third = (program.text(part) for part in (product.left, product.right, rest))
                edit = program.edit(node, "")
                start = program.edit(product, "").start
                yield Edit(start, edit.end, f"({third}) * ({second}) + ({first})")


def _axes(program: TritonSource) -> Iterator[Edit]:
    """`tl.program_id(0)` becomes `tl.program_id(1)`, and the other way round, where both are used."""
    for function in program.functions:
        alone = TritonSource(program.source, program.tree, (function,), program.language, program.starts)
        calls = [call for call in alone.calls("program_id") if call.args]
        axes = {program.text(call.args[0]) for call in calls}
        if {"0", "1"} <= axes:
            for call in calls:
                axis = program.text(call.args[0])
                if axis in {"0", "1"}:
                    yield program.edit(call.args[0], "1" if axis == "0" else "0")


def _launches(program: TritonSource) -> Iterator[Edit]:
    """Yield launches with one program fewer in a direction, if the kernel has no grid-stride loop."""
    kernels = {function.name: program.text(function) for function in program.functions}
    for node in ast.walk(program.tree):
        match node:
            case ast.Call(func=ast.Subscript(value=ast.Name(id=kernel), slice=blocks)) if kernel in kernels:
                body, grid = kernels[kernel], program.text(blocks)
            case _:
                continue
        if "num_programs" in body or grid in {"(1,)", "1,"}:
            continue
        for axis in range(_MOST_AXES):
            if f"program_id({axis})" in body:
                yield program.edit(blocks, f"warpcourt_fewer({grid}, {axis})")


def _values(program: TritonSource) -> Iterator[Edit]:
    """Yield edits that round stored or atomically added values to a smaller type."""
    constants = [id(call) for call in program.calls("full", "zeros")]
    for call in program.calls("store", "atomic_add"):
        for value in call.args[1:2]:
            if not isinstance(value, ast.Constant) and id(value) not in constants:
                yield program.edit(value, f"warpcourt_low({program.text(value)})")


def _loads(program: TritonSource) -> Iterator[Edit]:
    """Yield edits that round loaded values to a smaller type."""
    for call in program.calls("load"):
        yield program.edit(call, f"warpcourt_low({program.text(call)})")


_OPERATORS: Mapping[Operator, Sequence[Find]] = {
    Operator.LAST_ELEMENT: (_bounds,),
    Operator.SYNCHRONISATION: (_barriers, _atomics),
    Operator.INDEX: (_linear, _axes),
    Operator.LAUNCH: (_launches,),
    Operator.DTYPE: (_values, _loads),
}
