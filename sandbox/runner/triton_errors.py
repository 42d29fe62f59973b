"""Words the errors of Triton's compiler for learners. GPUs and functional mode say the same."""

import ast
import re
from collections.abc import Callable

from triton.compiler.errors import CompilationError  # type: ignore[import-untyped]
from triton.runtime.errors import OutOfResources  # type: ignore[import-untyped]

_NODES = {
    "GeneratorExp": "a generator expression",
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
# Triton's texts, and ours.
_TEXTS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (
        r"unsupported AST node type: (\w+)",
        lambda found: f"it contains {_NODES.get(found[1], found[1].lower())}.",
    ),
    (r"AST comparison operator '(?:Not)?In' is not", lambda _: "it contains `in`."),
    (
        r"nested function definition",
        lambda _: "it defines a function. Move it out of the kernel, under its own @triton.jit.",
    ),
    (
        r"Cannot access global variable (\w+) from within",
        lambda found: (
            f"it uses the global variable {found[1]}. If it is a number, write {found[1]} = "
            "tl.constexpr(...) or pass it as an argument. If it is a function, put @triton.jit before it."
        ),
    ),
    (
        r"'tuple' object has no attribute '?(\w+)",
        lambda found: f"lists become tuples, which have no {found[1]}. Use a tensor.",
    ),
    (
        r"Cannot have `return` statements inside",
        lambda _: "it returns from a loop. Use a mask, or a condition of `while`.",
    ),
    (
        r"Loop-carried variable (\w+) has initial type (.{1,80}?) but is re-assigned to (.{1,80}?) in loop",
        lambda found: (
            f"the variable {found[1]} is {found[2]} before the loop and {found[3]} at its end. Give it the "
            "same type and shape before the loop, for example with tl.zeros, or 0.0 instead of 0."
        ),
    ),
    (
        r"Mismatched type for (\w+) between then block \((.{1,80}?)\) and else block \((.{1,80}?)\)",
        lambda found: (
            f"the variable {found[1]} is {found[2]} in one branch and {found[3]} in the other. Give it the "
            "same type and shape in both."
        ),
    ),
    (
        r"Boolean value of Tensor",
        lambda _: (
            "several values at once have no single truth value. Use a mask or tl.where instead of if, and "
            "the operators &, | and ~ instead of and, or and not."
        ),
    ),
    (
        r"^(\w+) is not defined",
        lambda found: (
            f"the variable {found[1]} is not defined on all ways to this line. Set it before the `if` or "
            "the loop."
        ),
    ),
)
_INDEX = re.compile(r"_semantic|__setitem__|iterable|index|subscript")
_NO_ELEMENTS = (
    "is not possible. A pointer has no elements: use tl.load(pointer + offsets, mask=...) and "
    "tl.store(pointer + offsets, values, mask=...). Elements of a block cannot be selected or assigned: use "
    "tl.where, or load and store the elements that you need. An index can only be `:` or None, as in "
    "x[:, None]."
)
_WRAPPED = re.compile(r"\w{1,60}\((?P<text>'.*'|\".*\")\)", re.DOTALL)  # repr of an exception
_MOST = 2000  # characters of a text that is looked at


def words_of(error: CompilationError) -> str:
    """Return what `error` says, without the source that Triton quotes. Ours may follow "kernel K: "."""
    node = error.node
    text = _unwrapped((error.error_message or "").strip()[:_MOST])
    if isinstance(node, ast.For) and not isinstance(node.iter, ast.Call):
        return f"it loops over {ast.unparse(node.iter)}. Use range or tl.static_range."
    place = node.targets[0] if isinstance(node, ast.Assign) else node
    if isinstance(place, ast.Subscript) and _INDEX.search(text):
        return f"{ast.unparse(place)} {_NO_ELEMENTS}"
    for pattern, words in _TEXTS:
        if found := re.search(pattern, text):
            return words(found)
    return text


def resources_text(kernel: str, error: OutOfResources, gpu: str) -> str:
    """Return a sentence on a launch of `kernel` that needs more than `gpu`, the subject of the text, has."""
    unit = "bytes of " if error.name.endswith("memory") else ""
    return (
        f"Kernel {kernel} needs {error.required} {unit}{error.name}, but {gpu} has only {error.limit}. Use "
        "smaller blocks, fewer stages (num_stages) or another num_warps."
    )


def _unwrapped(text: str) -> str:
    found = _WRAPPED.fullmatch(text)
    if found is None:
        return text
    try:
        return str(ast.literal_eval(found["text"]))
    except (ValueError, SyntaxError):
        return text
