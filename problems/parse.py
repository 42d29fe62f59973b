"""Parses problem.toml into the schema's types, with checks that concern only one entry."""

import keyword
import math
import re
import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass

from problems.calling import PythonCallSpec
from problems.faults import Faults
from problems.fix import parse_fix
from problems.formula import Formula
from problems.ignored_mutants import parse_ignored
from problems.libraries import Library
from problems.parse_python import parse_python
from problems.parse_values import ONE, parse_formula, parse_values
from problems.requirements import parse_requirements
from problems.schema import (
    Argument,
    Case,
    Fix,
    IgnoredMutant,
    ProblemLimits,
    Requirement,
    ScoreRule,
    Tolerance,
    UnderTest,
)
from problems.score import parse_score
from problems.table import TomlTable, kind_of
from problems.toml_bounds import toml_excess
from problems.under_test import parse_under_test, with_programs
from problems.vocabulary import (
    ArrayMemory,
    BaselineKind,
    Count,
    Difficulty,
    Dtype,
    Group,
    Language,
    OracleKind,
    Role,
    Verdict,
)

MAX_SIZE = 2**31 - 1
MAX_RANK = 4  # as in the wire format
MAX_CASES = 64
MAX_SOURCE_KIB = 128
GPU_COUNTS = (1, 2, 4)  # the last is also the most in the wire format
RANK_COUNTS = (2, 4)  # each rank has a GPU
_WORD = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
_TAG = "[a-z][a-z0-9]*([- ][a-z0-9]+)*"
_SOLUTION_FILE = "[a-z][a-z0-9]*([-_][a-z0-9]+)*[.](cu|py|torch[.]py)"
_GPU = "[A-Za-z0-9]{2,20}"
_IDENTIFIER = "[a-z][a-z0-9_]{0,31}"
# Keywords of C++ that match _IDENTIFIER, and names that generated sources and references use.
_TAKEN = """
alignas alignof and_eq asm auto bitand bitor bool case catch char char16_t char32_t compl const constexpr
const_cast decltype default delete do double dynamic_cast enum explicit export extern false float friend goto
inline int long mutable namespace new noexcept not_eq nullptr operator or_eq private protected public register
reinterpret_cast short signed sizeof static static_assert static_cast struct switch template this thread_local
throw true typedef typeid typename union unsigned using virtual void volatile wchar_t xor xor_eq
solve torch triton tl xp
"""
_RESERVED = frozenset(_TAKEN.split()) | frozenset(keyword.kwlist)
MAX_TIERS = 10
_USUAL_LANGUAGES = (Language.CUDA, Language.TRITON)
_VERDICTS = tuple(v for v in Verdict if v not in {Verdict.INTERNAL_ERROR, Verdict.CANCELLED})


def is_reserved(name: str) -> bool:
    """Return whether this name is reserved, so that no argument may have it."""
    return name in _RESERVED


@dataclass(frozen=True, slots=True)
class DeclaredSolution:
    """A `[[solutions]]` table: a file name in `solutions/` with the verdict that it must get.

    `label` is the name of a baseline on leaderboards, empty for other solutions.
    """

    file: str
    verdict: Verdict
    note: str
    gpu_verdicts: tuple[Verdict, ...]
    baseline: BaselineKind | None
    label: str


@dataclass(frozen=True, slots=True)
class Description:
    """The contents of problem.toml. `sound` is false if faulty entries were replaced by placeholders."""

    title: str
    summary: str
    difficulty: Difficulty
    tags: tuple[str, ...]
    track_day: int | None
    languages: tuple[Language, ...]
    limits: ProblemLimits
    bytes_moved: Formula
    operations: Formula
    beatable: tuple[Count, ...]
    arguments: tuple[Argument, ...]
    cases: tuple[Case, ...]
    solutions: tuple[DeclaredSolution, ...]
    mutants_ignored: tuple[IgnoredMutant, ...]
    python: PythonCallSpec | None
    oracle: OracleKind
    tiers: tuple[int, ...]
    fix: Fix | None
    requirements: tuple[Requirement, ...]
    under_test: UnderTest | None
    score: ScoreRule | None
    gpus: int
    ranks: int
    sound: bool


def parse_description(text: str, faults: Faults) -> Description:
    """Parse problem.toml. Faults are added to `faults`. Faulty entries are replaced by placeholders."""
    before = faults.count
    top = TomlTable(parse_toml(text, faults), "", faults)
    if faults.count > before:
        top = TomlTable({}, "", Faults(faults.slug))  # one fault is enough
    formulas = top.table("formulas")
    arguments = tuple(_argument(table) for table in top.tables("arguments"))
    drawn = {argument.name for argument in arguments if argument.drawn}
    under_test = parse_under_test(top)
    description = Description(
        title=top.text("title", most=80, example='"Vector addition"'),
        summary=top.text("summary", most=200, example='"One sentence."'),
        difficulty=top.choice("difficulty", Difficulty),
        tags=parse_tags(top),
        track_day=top.integer("track_day", least=1, most=1000) if top.has("track_day") else None,
        languages=top.choices("languages", Language, default=_USUAL_LANGUAGES),
        limits=_limits(top.table("limits", required=False)),
        bytes_moved=_formula(formulas, "bytes"),
        operations=_formula(formulas, "operations"),
        beatable=formulas.choices("beatable", Count, default=()),
        arguments=arguments,
        cases=with_programs([_case(table, drawn) for table in top.tables("cases")], under_test, faults),
        solutions=tuple(_solution(table) for table in top.tables("solutions")),
        mutants_ignored=parse_ignored(top),
        python=parse_python(top, arguments),
        oracle=top.choice("oracle", OracleKind) if top.has("oracle") else OracleKind.ARRAYS,
        tiers=_tiers(top) if top.has("tiers") else (),
        fix=parse_fix(top),
        requirements=parse_requirements(top),
        under_test=under_test,
        score=parse_score(top),
        gpus=_count(top, "gpus", GPU_COUNTS) if top.has("gpus") else 1,
        ranks=_count(top, "ranks", RANK_COUNTS) if top.has("ranks") else 1,
        sound=faults.count == before,
    )
    formulas.close()
    top.close()
    return description


def parse_toml(text: str, faults: Faults) -> dict[str, object]:
    """Return the values of a TOML file; empty, with a fault, if it is not valid TOML."""
    if excess := toml_excess(text):
        faults.add(faults.table_file, "", excess)
        return {}
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        faults.add(faults.table_file, "", f"is not TOML: {error}")
    except (ValueError, RecursionError):  # numbers of thousands of digits, thousands of brackets
        faults.add(faults.table_file, "", "contains a number that is too large")
    return {}


def parse_tags(top: TomlTable) -> tuple[str, ...]:
    """The tags of a problem or quiz: lower-case words, each once."""
    tags = top.texts("tags")
    for index, tag in enumerate(tags):
        if not re.fullmatch(_TAG, tag) or len(tag) > 30:
            top.fault(f"tags[{index}]", f"{tag[:40]!r} must be lower-case words")
        if tag in tags[:index]:
            top.fault(f"tags[{index}]", f"{tag[:40]!r} is listed twice; keep one")
    return tags


def _tiers(top: TomlTable) -> tuple[int, ...]:
    tiers = top.integers("tiers", least=1, most=1000)
    if len(tiers) > MAX_TIERS:
        top.fault("tiers", f"has {len(tiers)} entries; at most {MAX_TIERS} are allowed")
    if list(tiers) != sorted(set(tiers)):
        top.fault("tiers", "must ascend, as in [25, 50, 75, 100]")
    return tiers


def _count(top: TomlTable, key: str, counts: tuple[int, ...]) -> int:
    count = top.integer(key, least=min(counts), most=max(counts))
    if count not in counts:
        top.fault(key, f"must be one of {', '.join(map(str, counts))}, not {count}")
    return count


def _limits(table: TomlTable) -> ProblemLimits:
    usual = ProblemLimits()
    limits = ProblemLimits(
        compile_s=table.number("compile_s", most=120.0, default=usual.compile_s, zero=False),
        case_s=table.number("case_s", most=60.0, default=usual.case_s, zero=False),
        memory_mib=table.integer("memory_mib", least=64, most=16384, default=usual.memory_mib),
        source_kib=table.integer("source_kib", least=1, most=MAX_SOURCE_KIB, default=usual.source_kib),
        gpus=_gpus(table) if table.has("gpus") else (),
        libraries=_libraries(table) if table.has("libraries") else None,
        device_launches=table.flag("device_launches"),
        sizes=_sizes(table.table("sizes")) if table.has("sizes") else {},
    )
    table.close()
    return limits


def _gpus(table: TomlTable) -> tuple[str, ...]:
    words = table.texts("gpus")
    for index, word in enumerate(words):
        if not re.fullmatch(_GPU, word):
            table.fault(f"gpus[{index}]", f'{word[:40]!r} must be one word of a GPU model; write "H200"')
    return words


def _libraries(table: TomlTable) -> tuple[Library, ...]:
    """An empty array, which allows no library, differs from a missing array."""
    return table.choices("libraries", Library) if table.raw("libraries") != [] else ()


def _formula(table: TomlTable, key: str, *, fractions: bool = False) -> Formula:
    text = table.text(key, most=200, example='"n"')
    return parse_formula(table, key, text, fractions=fractions) if text else ONE


def _argument(table: TomlTable) -> Argument:
    name = table.text("name", most=32, pattern=_IDENTIFIER, example="input_rows")
    if name in _RESERVED:
        table.fault("name", f"{name!r} is a reserved word; choose another name")
    role = table.choice("role", Role)
    dtype = table.choice("dtype", Dtype)
    shape: tuple[Formula, ...] = ()
    value = None
    values = parse_values(table, role, dtype)
    if role is Role.SCALAR:
        if values is None:
            value = _formula(table, "value", fractions=dtype.is_float)
    else:
        texts = table.texts("shape")
        shape = tuple(parse_formula(table, f"shape[{i}]", text) for i, text in enumerate(texts))
        if len(shape) > MAX_RANK:
            table.fault("shape", f"has {len(shape)} dimensions; at most {MAX_RANK} are allowed")
    zeroed = table.flag("zeroed")
    if zeroed and role is not Role.OUT:
        table.fault("zeroed", f"an argument of role {role} does not start empty; remove it")
    tolerance = _tolerance(table, role, dtype)
    memory = _memory(table, role)
    device = _device(table, role, memory)
    argument = Argument(name, role, dtype, shape, value, tolerance, zeroed, values, memory, device)
    table.close()
    return argument


def _memory(table: TomlTable, role: Role) -> ArrayMemory:
    if not table.has("memory"):
        return ArrayMemory.DEVICE
    if role is Role.SCALAR:
        table.fault("memory", "a scalar is passed by value; remove it")
    return table.choice("memory", ArrayMemory)


def _device(table: TomlTable, role: Role, memory: ArrayMemory) -> int:
    if not table.has("device"):
        return 0
    if role is Role.SCALAR:
        table.fault("device", "a scalar is passed by value; remove it")
    elif memory.on_host:
        table.fault("device", f"the array is in {memory} memory; remove it")
    return table.integer("device", least=0, most=max(GPU_COUNTS) - 1)


def _tolerance(table: TomlTable, role: Role, dtype: Dtype) -> Tolerance | None:
    checked = role in {Role.OUT, Role.INOUT}
    if not table.has("tolerance"):
        if checked and dtype.is_float:
            example = "{ relative = 1e-5, absolute = 1e-6 }"
            table.fault("tolerance", f"missing on a float output; write tolerance = {example}")
        return Tolerance() if checked else None
    if not checked:
        table.fault("tolerance", f"an argument of role {role} is not compared; remove it")
    elif not dtype.is_float:
        table.fault("tolerance", f"{dtype} is compared exactly; remove it")
    inner = table.table("tolerance")
    tolerance = Tolerance(
        relative=inner.number("relative", most=1.0, default=0.0, zero=True),
        absolute=inner.number("absolute", most=1e6, default=0.0, zero=True),
        nan=inner.flag("nan"),
    )
    inner.close()
    return tolerance


def _case(table: TomlTable, drawn: Set[str]) -> Case:
    """Parse a case. Its inputs may state `drawn` scalars as arrays of one number."""
    inputs = _inputs(table) if table.has("inputs") else {}
    for name in drawn & inputs.keys():
        if len(inputs[name]) != 1:
            table.fault(f"inputs.{name}", f"has {len(inputs[name])} numbers; a scalar is an array of one")
    case = Case(
        name=table.text("name", most=40, pattern=_WORD, example="not-a-multiple"),
        group=table.choice("group", Group),
        sizes=_sizes(table.table("sizes")),
        inputs={name: values for name, values in inputs.items() if name not in drawn},
        scalars={name: values[0] for name, values in inputs.items() if name in drawn and values},
    )
    table.close()
    return case


def _sizes(table: TomlTable) -> Mapping[str, int]:
    for key in table.keys:
        if not re.fullmatch(_IDENTIFIER, key):
            table.fault(key[:40], "a size name has lower-case letters, digits and _, like an argument name")
    if not table.keys:
        table.fault("", "must name at least one size, such as { n = 1000 }")
    return {key: table.integer(key, least=1, most=MAX_SIZE) for key in table.keys}


def _inputs(table: TomlTable) -> Mapping[str, tuple[float, ...]]:
    inner = table.table("inputs")
    return {key: _numbers(inner, key) for key in inner.keys}


def _numbers(table: TomlTable, key: str) -> tuple[float, ...]:
    values = table.raw(key)
    if not isinstance(values, list):
        table.fault(key, f"must be an array of numbers, not {kind_of(values)}")
        return ()
    for index, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int | float):
            table.fault(f"{key}[{index}]", f"must be a number, not {kind_of(value)}; flatten the array")
        elif isinstance(value, int) and abs(value) >= 2**63:
            table.fault(f"{key}[{index}]", "is beyond 64 bits; use a smaller number")
        elif not math.isfinite(value):
            table.fault(f"{key}[{index}]", "must be finite, so that the page can show it")
        else:
            continue
        return ()
    return tuple(values)


def _solution(table: TomlTable) -> DeclaredSolution:
    baseline = table.choice("baseline", BaselineKind) if table.has("baseline") else None
    if baseline is None and table.has("label"):
        table.fault("label", 'is for baselines; write baseline = "reference" or remove it')
    solution = DeclaredSolution(
        file=table.text("file", most=60, pattern=_SOLUTION_FILE, example="plain.cu"),
        verdict=table.choice("verdict", _VERDICTS),
        note=table.text("note", most=200, example='"One thread per element."'),
        gpu_verdicts=table.choices("gpu_verdicts", _VERDICTS) if table.has("gpu_verdicts") else (),
        baseline=baseline,
        label=table.text("label", most=60, example='"Plain kernel"') if baseline else "",
    )
    table.close()
    return solution
