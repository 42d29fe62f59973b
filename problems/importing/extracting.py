"""Extracts one function with all its dependencies from an author's files into one file. Executes nothing."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from problems.importing.report import Refused
from problems.parsing import parse
from problems.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class StartingSolution:
    """A solution from the set itself, with the verdict that it must get."""

    file: str
    text: str
    verdict: Verdict
    note: str


@dataclass(frozen=True, slots=True)
class _Definition:
    """Something that a module defines, with the names that it uses."""

    module: str
    text: str
    line: int
    uses: frozenset[str]


class _Module:
    """The top level of a file: definitions, names from other files, and imports of anything else."""

    def __init__(self, name: str, text: str, files: Mapping[str, str]) -> None:
        self.definitions: dict[str, _Definition] = {}
        self.borrowed: dict[str, tuple[str, str]] = {}
        self.imports: dict[str, str] = {}
        lines = text.splitlines()
        for node in parse(text).body:
            if isinstance(node, ast.ImportFrom) and f"{node.module}.py" in files:
                for alias in node.names:
                    self.borrowed[alias.asname or alias.name] = (f"{node.module}.py", alias.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    single = _importing(node, alias)
                    self.imports[alias.asname or alias.name.partition(".")[0]] = single
            else:
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
                said = "\n".join(lines[first - 1 : node.end_lineno])
                uses = frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
                for defined in _defined(node):
                    self.definitions[defined] = _Definition(name, said, first, uses)


def standalone(files: Mapping[str, str], main: str, wanted: str) -> str:
    """Return the function `wanted` of `main`, with the definitions and imports that it needs from `files`.

    Raises:
        Refused: `main` does not define it.
    """
    modules = {name: _Module(name, text, files) for name, text in files.items() if name.endswith(".py")}
    found: dict[tuple[str, str], _Definition] = {}
    imports: dict[str, None] = {}
    renamed: dict[str, None] = {}
    seen: set[tuple[str, str]] = set()
    followed: set[int] = set()  # names of one statement share the names that it uses
    pending = [(main, wanted)]
    while pending:
        place, name = pending.pop()
        module = modules[place]
        if (place, name) in seen:
            continue
        seen.add((place, name))
        if definition := module.definitions.get(name):
            found[place, name] = definition
            if id(definition.uses) not in followed:
                followed.add(id(definition.uses))
                pending += [(place, used) for used in definition.uses]
        elif name in module.borrowed and module.borrowed[name][0] in modules:
            pending.append(module.borrowed[name])
            if (original := module.borrowed[name][1]) != name:
                renamed[f"{name} = {original}"] = None
        elif name in module.imports:
            imports[module.imports[name]] = None
    if (main, wanted) not in found:
        raise Refused(f"{main} does not define {wanted}")
    order = [name for name in modules if name != main] + [main]
    ordered = sorted(found.values(), key=lambda d: (order.index(d.module), d.line))
    texts = dict.fromkeys((d.module, d.line, d.text) for d in ordered)
    borrowed = [text for place, _, text in texts if place != main]
    own = [text for place, _, text in texts if place == main]
    parts = ["\n".join(sorted(imports)), *borrowed, "\n".join(renamed), *own]
    return "\n\n\n".join(part for part in parts if part).strip() + "\n"


def _importing(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """A line that imports one name alone."""
    renamed = f" as {alias.asname}" if alias.asname else ""
    if isinstance(node, ast.Import):
        return f"import {alias.name}{renamed}"
    return f"from {'.' * node.level}{node.module or ''} import {alias.name}{renamed}"


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
