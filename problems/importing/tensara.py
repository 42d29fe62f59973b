"""Reads Tensara definitions: `problems/<slug>/` with def.py and problem.md.

The importer never imports the class of a definition. It parses the tolerance in `verify_result`. Every
definition has its own checker, but nearly all of them only compare with `torch.allclose` or for equality. The
importer reports checkers that do more.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from problems.importing.building import ProblemSource
from problems.importing.names import slug_of
from problems.importing.plain_yaml import YamlInvalid, read_yaml
from problems.importing.report import Refused
from problems.importing.sandboxed import with_imports
from problems.parsing import parse
from problems.vocabulary import Difficulty

FORMAT = "tensara"
_MAIN = "def.py"
_STATEMENT = "problem.md"
_MOST_STATEMENT_KIB = 120
_FRONT = re.compile(r"\A---[^\S\n]*+\n(.*?)\n---[^\S\n]*+\n", re.DOTALL)
_USUAL = (1e-8, 1e-5)  # defaults of torch.allclose: absolute, relative
_CLOSE = {"allclose", "isclose", "assert_close"}
_EQUAL = {"equal", "array_equal"}
_BASES = ("", "engine", "problems")  # where a set keeps the base class `problem.Problem`


def find(folder: Path) -> Iterator[Path]:
    """The folders of definitions below `folder`, in order: a set or one definition."""
    yield from (path.parent for path in sorted(folder.rglob(_MAIN)) if not path.is_symlink())


def read(folder: Path, *, within: Path) -> ProblemSource:
    """Read the definition in `folder`. Modules are looked for in the set `within`, never above.

    Raises:
        Refused: a file is missing or does not have this format.
    """
    above = [parent for parent in folder.parents if parent.is_relative_to(within)]
    inside = [folder, *(parent / base for parent in above for base in _BASES)]
    files = with_imports(folder / _MAIN, _MAIN, inside)
    name = folder.name.replace("-", "_")
    found = _class(files[_MAIN], name)
    front, body = _statement(folder)
    warnings: list[str] = []
    absolute, relative, checks = _tolerance(found, warnings)
    if checks:
        warnings.append("its verify_result became checker.py; it accepts or rejects all outputs together")
    constants = {
        "MAIN": repr("def"),
        "CLASS": repr(name),
        "TOLERANCE": repr((absolute, relative)),
        "PARAMETERS": repr(_parameters(front)),
    }
    return ProblemSource(
        format=FORMAT,
        place=str(folder.relative_to(within)) if folder != within else folder.name,
        slug=slug_of(folder.name),
        files=files,
        constants=constants,
        markdown=body,
        difficulty=_difficulty(front),
        title=str(front.get("title", "")),
        tags=_tags(front),
        warnings=tuple(warnings),
        checks=checks,
    )


def _class(text: str, name: str) -> ast.ClassDef:
    for node in parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    raise Refused(f"{_MAIN} does not define the class {name}, which must have the name of its folder")


def _statement(folder: Path) -> tuple[Mapping[str, Any], str]:
    path = folder / _STATEMENT
    if path.is_symlink() or not path.is_file():
        raise Refused(f"{_STATEMENT} is missing")
    content = path.read_bytes()[: _MOST_STATEMENT_KIB * 1024 + 1]
    if len(content) > _MOST_STATEMENT_KIB * 1024:
        raise Refused(f"{_STATEMENT} is larger than {_MOST_STATEMENT_KIB} KiB")
    text = content.decode("utf-8", "replace").replace("\0", "").replace("\r\n", "\n")
    front: Any = {}
    if match := _FRONT.match(text):
        try:
            front = read_yaml(match.group(1))
        except YamlInvalid as error:
            raise Refused(f"the header of {_STATEMENT} is not valid YAML: {error}") from error
        text = text[match.end() :]
    body = re.sub(r"\A\s*# .*\n", "", text)  # pages show the title themselves
    return (front if isinstance(front, dict) else {}), body.strip() + "\n"


def _difficulty(front: Mapping[str, Any]) -> Difficulty:
    said = str(front.get("difficulty", "")).lower()
    return Difficulty(said) if said in set(Difficulty) else Difficulty.MEDIUM


def _tags(front: Mapping[str, Any]) -> tuple[str, ...]:
    given = front.get("tags")
    listed = given if isinstance(given, list) else []
    words = [re.sub(r"[^a-z0-9]+", " ", str(tag).lower()).strip() for tag in listed]
    known = [word for word in words if re.fullmatch(r"[a-z][a-z0-9 ]{0,29}", word) and word != "imported"]
    return tuple(dict.fromkeys(known))[:8]


def _parameters(front: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the parameters from the front matter of the statement, where older sets have them."""
    given = front.get("parameters")
    listed = [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []
    return [{key: str(entry.get(key, ""))[:60] for key in ("name", "type", "pointer")} for entry in listed]


def _tolerance(found: ast.ClassDef, warnings: list[str]) -> tuple[float, float, bool]:
    """Return absolute and relative tolerance of `verify_result`, and whether it must be called itself."""
    methods = {node.name: node for node in found.body if isinstance(node, ast.FunctionDef)}
    verify = methods.get("verify_result")
    if verify is None:
        warnings.append("it has no verify_result; outputs are compared as in torch.allclose")
        return *_USUAL, False
    calls = [node for node in ast.walk(verify) if isinstance(node, ast.Call)]
    close = [call for call in calls if _name(call.func) in _CLOSE]
    if _uses_state(verify, methods):
        warnings.append("its verify_result uses attributes that other methods set")
        return *_USUAL, True
    if close:
        numbers = {key.arg: key.value for key in close[0].keywords}
        absolute, relative = (_constant(numbers.get(name), found) for name in ("atol", "rtol"))
        if len(close) > 1 or absolute is None or relative is None:
            warnings.append("the tolerance of its verify_result is not given as two numbers")
        return (
            _USUAL[0] if absolute is None else absolute,
            _USUAL[1] if relative is None else relative,
            len(close) > 1 or absolute is None or relative is None,
        )
    compared = [op for node in ast.walk(verify) if isinstance(node, ast.Compare) for op in node.ops]
    if any(_name(call.func) in _EQUAL for call in calls) or any(isinstance(op, ast.Eq) for op in compared):
        return 0.0, 0.0, False
    warnings.append("its verify_result uses a custom comparison")
    return *_USUAL, True


def _uses_state(verify: ast.FunctionDef, methods: Mapping[str, ast.FunctionDef]) -> bool:
    """Return whether it reads an attribute of self that a method other than the constructor writes."""
    read = {n.attr for n in ast.walk(verify) if _of_self(n) and isinstance(n.ctx, ast.Load)}  # type: ignore[attr-defined]
    written = {
        n.attr  # type: ignore[attr-defined]
        for name, method in methods.items()
        if name not in {"__init__", "verify_result"}
        for n in ast.walk(method)
        if _of_self(n) and isinstance(n.ctx, ast.Store)  # type: ignore[attr-defined]
    }
    return bool(read & written)


def _of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _name(function: ast.expr) -> str:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _constant(node: ast.expr | None, found: ast.ClassDef) -> float | None:
    """Return a number, or the number in a class or instance attribute; None if it is neither."""
    if isinstance(node, ast.Attribute | ast.Name):
        held = (
            statement.value
            for statement in ast.walk(found)
            if isinstance(statement, ast.Assign) and _name(node) in map(_name, statement.targets)
        )
        node = next(held, None)
    if isinstance(node, ast.IfExp):
        node = _of_float32(node)
    if node is None:
        return None
    try:
        return abs(float(ast.literal_eval(node)))
    except (ValueError, TypeError, SyntaxError):
        return None


def _of_float32(choice: ast.IfExp) -> ast.expr | None:
    """Return the float32 branch of `… if dtype == torch.float16 else …`, or None."""
    match choice.test:
        case ast.Compare(left=ast.Name(id="dtype"), ops=[ast.Eq() | ast.Is()], comparators=[compared]):
            return choice.body if _name(compared) in {"float32", "float"} else choice.orelse
    return None
