"""Reads GPU MODE tasks: folders with `task.yml`, and `reference.py` with `generate_input` and `ref_kernel`.

Programs define `custom_kernel`, which takes the data of `generate_input` and must return the same results as
`ref_kernel`. Tests and benchmarks are parameters in task.yml. Their seeds are mixed with Warpcourt's seeds,
so contents differ in each draw.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from problems.importing.building import ProblemSource
from problems.importing.extracting import StartingSolution, standalone
from problems.importing.names import slug_of
from problems.importing.plain_yaml import read_yaml
from problems.importing.report import Refused
from problems.importing.sandboxed import MAX_SOURCE_KIB, read_source
from problems.parsing import parse
from problems.vocabulary import Verdict

FORMAT = "gpu_mode"
_TASK = "task.yml"
_MAIN = "reference.py"
_MOST_TASK_KIB = 64
_MOST_TESTS = 24
_OWN = {"submission.py", "eval.py"}
_SUBMISSION = "@SUBMISSION@"
# The number of positional arguments before the tolerances, which may also be keyword arguments.
_PLACES = {"make_match_reference": 1, "match_reference": 3, "verbose_allclose": 2, "verbose_allequal": 3}
# Defaults of `match_reference` in the collection's own utils.py.
_USUAL = (1e-5, 1e-8)
_EXACT_CHECK = "verbose_allequal"
_COMPARING = set(_PLACES)


def find(folder: Path) -> Iterator[Path]:
    """The folders of tasks below `folder`, in order."""
    yield from (path.parent for path in sorted(folder.rglob(_TASK)) if not path.is_symlink())


def read(folder: Path, *, within: Path) -> ProblemSource:
    """Read the task in `folder`. Files are taken from `within`, never from above.

    Raises:
        Refused: the task is not in Python for one GPU, or a file is missing.
    """
    task = _task(folder / _TASK)
    files = _files(folder, within, task)
    warnings: list[str] = []
    relative, absolute, checks = _tolerance(files, warnings)
    if (ranking := task.get("ranking_by", "geom")) != "geom":
        warnings.append(f"it ranks by {ranking!r}; Warpcourt ranks by the geometric mean of the timed cases")
    parameters = {
        "functional": _parameters(task.get("tests"), "tests"),
        "performance": _parameters(task.get("benchmarks") or [], "benchmarks"),
    }
    words = folder.name.removesuffix("_py").replace("-", "_").split("_")
    description = task.get("description")
    return ProblemSource(
        format=FORMAT,
        place=str(folder.relative_to(within)) if folder != within else folder.name,
        slug=slug_of(folder.name.removesuffix("_py")),
        files=files,
        constants={
            "MAIN": repr(_MAIN.removesuffix(".py")),
            "PARAMETERS": repr(parameters),
            "RELATIVE": repr(relative),
            "ABSOLUTE": repr(absolute),
            "LAYOUT": "None",
        },
        markdown=description.strip() if isinstance(description, str) else "",
        title=" ".join(words).capitalize(),
        warnings=tuple(warnings),
        solutions=(_solution(files),),
        checks=checks,
    )


def _task(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        raise Refused(f"{_TASK} is not a regular file")
    content = path.read_bytes()[: _MOST_TASK_KIB * 1024 + 1]
    if len(content) > _MOST_TASK_KIB * 1024:
        raise Refused(f"{_TASK} is larger than {_MOST_TASK_KIB} KiB")
    try:
        task = read_yaml(content.decode("utf-8-sig"))
    except ValueError as error:
        raise Refused(f"{_TASK} is not valid YAML: {str(error)[:200]}") from error
    if not isinstance(task, dict):
        raise Refused(f"{_TASK} holds no table")
    if (language := task.get("lang", "py")) != "py":
        raise Refused(f"it is a task in {language!r}; only tasks in Python have a reference that can be run")
    if task.get("multi_gpu"):
        raise Refused("it needs several GPUs; programs are judged on one")
    return task


def _files(folder: Path, within: Path, task: Mapping[str, object]) -> dict[str, str]:
    """Return the Python files that the task lists, by their names in the task; or all Python files."""
    listed = task.get("files")
    if not isinstance(listed, list):
        listed = [{"name": path.name, "source": path.name} for path in sorted(folder.glob("*.py"))]
    found: dict[str, str] = {}
    for entry in listed:
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise Refused(f"{_TASK} lists a file without a name")
        name, source = entry["name"], entry.get("source")
        if name in _OWN or source == _SUBMISSION or not name.endswith(".py"):
            continue
        try:
            path = (folder / str(source)).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # too long, has a NUL, or a loop of links
            raise Refused(f"{_TASK} lists a file whose source is not a path") from error
        if not path.is_relative_to(within.resolve()):
            raise Refused(
                f"{name} refers to {source}, outside the uploaded folder; include the parent folder"
            )
        found[name] = read_source(path)
    if _MAIN not in found:
        raise Refused(f"it lists no {_MAIN}")
    if sum(len(text.encode()) for text in found.values()) > MAX_SOURCE_KIB * 1024:
        raise Refused(f"its Python files are larger than {MAX_SOURCE_KIB} KiB together")
    return found


def _parameters(listed: object, key: str) -> list[dict[str, object]]:
    """Return the parameters of tests, which must be plain values."""
    if not isinstance(listed, list) or any(not isinstance(entry, dict) for entry in listed):
        raise Refused(f"{_TASK}: {key} must be a list of parameters")
    found = []
    for entry in listed[:_MOST_TESTS]:
        if not all(isinstance(name, str) and name.isidentifier() for name in entry):
            raise Refused(f"{_TASK}: {key} has an invalid parameter name")
        if isinstance(gpus := entry.get("world_size"), int) and gpus > 1:
            raise Refused(f"it needs {gpus} GPUs (world_size); programs are judged on one")
        if not all(_is_plain(value) for value in entry.values()):
            raise Refused(f"{_TASK}: {key} has a value that is not a number, a string or a list")
        found.append(dict(entry))
    return found


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_plain(part) for part in value)
    return value is None or isinstance(value, bool | int | float | str)


def _tolerance(files: Mapping[str, str], warnings: list[str]) -> tuple[float, float, bool]:
    """Return relative and absolute tolerance, and whether `check_implementation` itself must be called.

    It need not be called if it uses the set's own comparison with the same two numbers for all outputs.
    """
    tree = parse(files[_MAIN])
    check = next((node for node in tree.body if _defines(node, "check_implementation")), None)
    if check is None:
        warnings.append("it has no check_implementation; outputs are compared as its utils.py usually does")
        return *_USUAL, False
    own = isinstance(check, ast.FunctionDef)
    calls = [node for node in ast.walk(check) if isinstance(node, ast.Call)]
    comparing = [call for call in calls if _called(call) in _COMPARING or not own]
    exact = {_called(call) == _EXACT_CHECK for call in comparing}
    stated = {tuple(_stated(call, key, tree) for key in ("rtol", "atol")) for call in comparing}
    plain = len(exact) == 1 and len(stated) == 1 and not any(None in numbers for numbers in stated)
    if own and not (plain and all(len(call.args) <= _PLACES[_called(call)] for call in comparing)):
        warnings.append(
            "its check_implementation became checker.py; it accepts or rejects all outputs together"
        )
        return *_USUAL, True
    if exact == {True}:
        return 0.0, 0.0, False
    relative, absolute = next(iter(stated), _USUAL)
    warnings += [
        f"check_implementation gives {key} in a form other than a number: check the tolerances"
        for key, number in (("rtol", relative), ("atol", absolute))
        if number is None
    ]
    return _USUAL[0] if relative is None else relative, _USUAL[1] if absolute is None else absolute, False


def _stated(call: ast.Call, key: str, tree: ast.Module) -> float | None:
    """Return the tolerance of a call; None if it is not a number."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == key]
    return _number(given[0], tree) if given else dict(zip(("rtol", "atol"), _USUAL, strict=True))[key]


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _defines(node: ast.stmt, name: str) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name == name
    return isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id == name for t in node.targets
    )


def _number(node: ast.expr, tree: ast.Module) -> float | None:
    """Return the number of an expression: a literal, or the name of a number at the beginning of the file."""
    if isinstance(node, ast.Name):
        given = [line.value for line in tree.body if isinstance(line, ast.Assign) and _defines(line, node.id)]
        node = given[-1] if given else node
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value >= 0:
        return float(node.value)
    return None


def _solution(files: Mapping[str, str]) -> StartingSolution:
    code = standalone(files, _MAIN, "ref_kernel")
    entry = "def custom_kernel(data):\n    return ref_kernel(data)\n"
    text = f"# The task's own reference, submitted as a solution.\n{code}\n\n{entry}"
    return StartingSolution("reference.torch.py", text, Verdict.ACCEPTED, "The reference of the task.")
