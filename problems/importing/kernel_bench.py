"""Reads KernelBench files: `Model`, `get_inputs` and `get_init_inputs` with numbers at the top of the file.

Programs define `ModelNew`. The parameters of `Model` are arguments of the problem, with new contents in each
draw. A file has one test. The sandbox tries other numbers at the top of the file to get tests of other sizes.
"""

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from problems.importing.building import ProblemSource
from problems.importing.extracting import StartingSolution
from problems.importing.names import slug_of
from problems.importing.report import Refused
from problems.importing.sandboxed import read_source
from problems.parsing import parse
from problems.vocabulary import Difficulty, Verdict

FORMAT = "kernel_bench"
_LEVELS = {"level1": Difficulty.EASY, "level2": Difficulty.MEDIUM, "level3": Difficulty.HARD}
# For fp32, as the collection compares since its version 0.1; it was 1e-2 before.
_TOLERANCE = 1e-4
_SMALL_PRIMES = (3, 5, 7, 11, 13, 17)
_PRIMES = (37, 41, 43, 47, 53, 59)
_MOST_NUMBERS = 8
_FEW = 4
_SOME = 16
_ODD_BELOW = 16
_MOST = 2**31 - 1
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: lambda base, power: base ** min(power, 31),  # this suffices to exceed _MOST
}

Numbers = Mapping[str, int]


def find(folder: Path) -> Iterator[Path]:
    """The files of problems below `folder`, in order; `folder` may be such a file itself."""
    for path in [folder] if folder.is_file() else sorted(folder.rglob("*.py")):
        if not path.is_symlink() and path.is_file() and _looks_right(path):
            yield path


def read(path: Path, *, within: Path) -> ProblemSource:
    """Read the file `path`.

    Raises:
        Refused: the file does not have this format.
    """
    text = read_source(path)
    tree = parse(text)
    _require(tree)
    warnings = []
    free, tied = _numbers(tree)
    if not free and not tied:
        warnings.append("get_inputs uses no module-level number, so there is only one size")
    main = "model"
    return ProblemSource(
        format=FORMAT,
        place=str(path.relative_to(within)) if path != within else path.name,
        slug=slug_of(path.stem),
        files={f"{main}.py": text},
        constants={
            "MAIN": repr(main),
            "CANDIDATES": repr([(kind, dict(numbers)) for kind, numbers in candidates(free, tied)]),
            "TOLERANCE": repr(_TOLERANCE),
            "LAYOUT": "None",
        },
        markdown=_statement(text),
        difficulty=next(
            (_LEVELS[part.name] for part in path.parents if part.name in _LEVELS), Difficulty.MEDIUM
        ),
        title=" ".join(path.stem.lstrip("0123456789_").replace("_", " ").split())[:80] or path.stem,
        warnings=tuple(warnings),
        solutions=(_solution(text),),
    )


def candidates(free: Numbers, tied: Numbers) -> Iterator[tuple[str, Numbers]]:
    """Return kinds of tests, each with the numbers to try, the best first.

    `free` numbers are only extents of inputs. `tied` numbers also determine the model, so they stay or shrink
    together. Small numbers are probably essential to the model, such as three channels or a kernel size of
    seven, so they are kept at first. Later candidates shrink some of them, such as the number of layers.
    """
    few = {name: value for name, value in free.items() if value <= _FEW}
    few |= {
        name: value for name, value in tied.items() if value <= _FEW or (value % 2 and value < _ODD_BELOW)
    }
    some = few | {name: value for name, value in tied.items() if value <= _SOME}
    for kind, group in groupby(_varied(free, tied), key=itemgetter(0)):
        variants = [numbers for _, numbers in group]
        if few:
            yield from ((kind, {**numbers, **few}) for numbers in variants if numbers)
        full = [numbers for numbers in variants if tied.items() <= numbers.items() and tied]
        yield from ((kind, numbers) for numbers in variants if numbers not in full)
        if some != few:
            yield from ((kind, {**numbers, **some}) for numbers in variants if numbers)
        yield from ((kind, numbers) for numbers in full)


def _varied(free: Numbers, tied: Numbers) -> Iterator[tuple[str, Numbers]]:
    reduced = [_divided(tied, most) for most in (4, 8, 32)]
    for small in (*(_apart(numbers) for numbers in reduced), *reduced, tied):
        yield "sample", {**_in_turn(free, (2, 3, 4, 5, 6, 7)), **small}
    for small in (*reduced, tied):
        yield "sample", {**_at_most(free, 16), **small}
    for small in (_divided(tied, 1), *reduced, tied):
        yield "least", {**dict.fromkeys(free, 1), **small}
    for kind, order in (("wide", 1), ("tall", -1))[: 2 if free else 1]:
        for primes in (_SMALL_PRIMES, _PRIMES):
            for small in (*(_apart(numbers) for numbers in reduced[1:]), *reduced[1:], tied):
                yield kind, {**_in_turn(free, primes[:: 1 if order > 0 else -1]), **small}
    for most in (1024, 512, 256, 128, 64, 32, 16):
        for small in (reduced[-1], _divided(tied, most), tied):
            yield "large", {**_at_most(free, most), **small}
    yield "timed", {}


def _in_turn(numbers: Numbers, values: Iterable[int]) -> dict[str, int]:
    return dict(zip(numbers, values, strict=False))


def _at_most(numbers: Numbers, most: int) -> dict[str, int]:
    return {name: min(value, most) for name, value in numbers.items()}


def _divided(numbers: Numbers, most: int) -> dict[str, int]:
    """Divide all numbers by a power of two until the greatest is at most `most`, but none below one."""
    divisor = 1
    while numbers and max(numbers.values()) // divisor > most:
        divisor *= 2
    return {name: max(1, value // divisor) for name, value in numbers.items()}


def _apart(numbers: Numbers) -> dict[str, int]:
    """Make equal numbers different, so that shapes show which of them they depend on."""
    seen: Counter[int] = Counter()
    found = {}
    for name, value in numbers.items():
        found[name] = max(1, value >> seen[value])
        seen[value] += 1
    return found


def _looks_right(path: Path) -> bool:
    try:
        _require(parse(read_source(path)))
    except Refused:
        return False
    return True


def _require(tree: ast.Module) -> None:
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    if "Model" not in classes or "get_inputs" not in functions:
        raise Refused("it does not define a class Model with get_inputs")


def _numbers(tree: ast.Module) -> tuple[Numbers, Numbers]:
    """Return the numbers at the file's top that shape inputs: those unknown to the model, and the rest."""
    slots = [
        slot
        for node in tree.body
        if isinstance(node, ast.Assign)
        for slot in _slots(node)
        if isinstance(slot.value, int) and slot.value > 1
    ]
    inputs, made_with = _used(tree, "get_inputs"), _used(tree, "get_init_inputs")
    inside = {name for node in tree.body if isinstance(node, ast.ClassDef) for name in _foreign(node)}
    shaping = [s for s in slots if s.names & (inputs | made_with)][:_MOST_NUMBERS]
    free = {s.key: s.value for s in shaping if s.names & inputs and not s.names & (made_with | inside)}
    return free, {s.key: s.value for s in shaping if s.key not in free and not s.names & inside}


@dataclass(frozen=True, slots=True)
class _Slot:
    """A module-level number: the adapter's key for it, and the names that hold it or its list."""

    key: str
    value: int
    names: frozenset[str]


def _slots(node: ast.Assign) -> Iterator[_Slot]:
    """The numbers of `n = 64`, `n = 2 * 32`, `height = width = 64`, `rows, cols = 64, 32`, `extents = (64,)`.

    The last is known by its list and place, as `extents[0]`.
    """
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    if names and (value := _whole(node.value)) is not None:
        yield _Slot(names[0], value, frozenset(names))
    if not isinstance(node.value, ast.Tuple | ast.List):
        return
    parts = [(index, value) for index, part in enumerate(node.value.elts) if (value := _whole(part))]
    if names:
        yield from (_Slot(f"{names[0]}[{index}]", value, frozenset(names)) for index, value in parts)
    for target in node.targets:
        if isinstance(target, ast.Tuple) and len(target.elts) == len(node.value.elts):
            unpacked = [(target.elts[index], value) for index, value in parts]
            yield from (_Slot(p.id, v, frozenset({p.id})) for p, v in unpacked if isinstance(p, ast.Name))


def _whole(node: ast.expr) -> int | None:
    """Return the value of a whole number or an expression of whole numbers."""
    match node:
        case ast.Constant(value=int(value)) if type(value) is int and value <= _MOST:
            return value
        case ast.BinOp(left=left, op=op, right=right):
            given = _whole(left), _whole(right)
            if (calculate := _OPERATORS.get(type(op))) and given[0] is not None and given[1]:
                found = calculate(given[0], given[1])
                return found if 0 <= found <= _MOST else None
    return None


def _used(tree: ast.Module, function: str) -> set[str]:
    """Return the names that a function uses, and the names that these depend on at the top of the file."""
    heads = {
        name: node
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in _names(target)
    }
    start = next(
        (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function), None
    )
    pending: set[str] = set() if start is None else _names(start)
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending |= _names(heads[name].value) if name in heads else set()
    return found


def _foreign(node: ast.ClassDef) -> set[str]:
    """Return the names that a class uses but does not bind."""
    bound = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    bound |= {p.id for p in ast.walk(node) if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
    return _names(node) - bound


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _statement(text: str) -> str:
    fence = "````" if "```" in text else "```"
    return (
        "Write `ModelNew`, a faster module that computes the same as `Model`. It is "
        "constructed with the same values, "
        f"and its parameters get the same contents.\n\n{fence}python\n{text.strip()}\n{fence}"
    )


def _solution(text: str) -> StartingSolution:
    code = f"# The module from the set, unchanged.\n{text.strip()}\n\n\nclass ModelNew(Model):\n    pass\n"
    return StartingSolution("model.torch.py", code, Verdict.ACCEPTED, "The module from the set.")
