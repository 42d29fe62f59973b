"""Mistakes in CUDA C++. Each operator yields edits of masked code that make a mistake."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from judge.proof.mutants.code import (
    DeviceFunction,
    closing_of,
    device_functions,
    expression_end,
    masked,
    trimmed,
)
from judge.proof.mutants.mutant import Edit, Mutant, Operator, Original, mutants_by_place
from problems.vocabulary import Language

# Functions that the edits call. A float32 with a mantissa of seven bits is a bfloat16.
_PRELUDE = """\
static inline dim3 warpcourt_fewer_x(dim3 grid) { grid.x -= grid.x > 1; return grid; }
static inline dim3 warpcourt_fewer_y(dim3 grid) { grid.y -= grid.y > 1; return grid; }
static __device__ inline float warpcourt_low(float v) {
    return __uint_as_float((__float_as_uint(v) + 0x8000u) & 0xffff0000u);
}
static __device__ inline float4 warpcourt_low(float4 v) {
    return make_float4(warpcourt_low(v.x), warpcourt_low(v.y), warpcourt_low(v.z), warpcourt_low(v.w));
}
static __device__ inline double warpcourt_low(double v) { return static_cast<float>(v); }
static __device__ inline int warpcourt_low(int v) { return static_cast<signed char>(v); }
static __device__ inline unsigned warpcourt_low(unsigned v) { return static_cast<unsigned char>(v); }
static __device__ inline long long warpcourt_low(long long v) { return static_cast<int>(v); }"""

_BEFORE_TEMPLATE = re.compile(r"(?:\b(?:\w+_cast|template|operator)|[<:])\s*$")
_BEFORE_COMPARISON = re.compile(r"[\w)\]]\s*$")
_COMPARISON = re.compile(r"(?<![<-])<(?![<=])|>=")
_GEOMETRIC = re.compile(r"[^;()]*;[^;()]*(?:[*/]|<<|>>)=|[^;()]*;[^;()]*-=")  # the step of such a loop
_NAME = r"[A-Za-z_]\w*"
_PRIMARY = rf"(?:{_NAME}(?:\.{_NAME})?(?:\([^()]*\))?|\d+u?)"
_LINEAR = re.compile(
    rf"(?<![\w.*/%)\]-]\s)(?<![\w.])({_PRIMARY}) \* ({_PRIMARY}) \+ ({_PRIMARY})(?!\s*[\w.*/%(\[])"
)
_INTEGER = re.compile(r"(?:^|[;{}(])\s*(?:const )?(?:int|unsigned|size_t|long long|auto)\b[^;{}]*$")
_BARRIER = re.compile(
    r"\b(?:__syncthreads|__syncwarp|__threadfence(?:_block|_system)?)\s*\([^()]*\)\s*;|\b\w+\.sync\(\)\s*;"
)
_ATOMIC = re.compile(r"\batomic(?:Add|Max|Min|Or|And)\b")
_PLACE = re.compile(r"\b(blockIdx|threadIdx)\.([xy])\b")
_TWO_SUBSCRIPTS = re.compile(rf"(?<![\w>*&] )\b{_NAME}\[([^\[\]]+)\]\[([^\[\]]+)\]")
_LAUNCH = re.compile(rf"(?<!\w)({_NAME}+)\s*+(?:<[^<>;()]*+>)?\s*+<<<")
_STORE = re.compile(rf"(?<![\w.>])({_NAME}+)(\[[^;=]{{0,400}}?\])?\s*(=|\+=)(?!=)\s*")
_CONSTANT = re.compile(r"[-+]?(?:[\d.][\w.]*|[A-Z_]+)|true|false|nullptr|\{.*\}", re.DOTALL)
_NEAR = 200  # characters before a place in which its context is searched
_FAR = 2000  # characters before a place in which a surrounding loop is searched
_MOST_LOOKED_AT = 500  # places for each pattern, because the text around each is scanned
_LOWERED = ("float4", "float", "double", "long long", "unsigned", "int")

Find = Callable[["CudaSource"], Iterator[Edit]]


@dataclass(frozen=True, slots=True)
class CudaSource:
    """A source, masked, and its functions that run on the device."""

    text: str
    functions: tuple[DeviceFunction, ...]

    def within(self, pattern: re.Pattern[str]) -> Iterator[tuple[DeviceFunction, re.Match[str]]]:
        """Yield the first matches of `pattern` in the bodies of those functions, up to _MOST_LOOKED_AT."""
        found = ((f, place) for f in self.functions for place in pattern.finditer(self.text, f.body, f.end))
        return islice(found, _MOST_LOOKED_AT)

    def function(self, name: str) -> str:
        """The body of the function `name`, empty if it is not here."""
        return next((self.text[f.body : f.end] for f in self.functions if f.name == name), "")


def cuda_mutants(file: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a CUDA source, by operator and then by place."""
    text = masked(source)
    code = CudaSource(text, tuple(device_functions(text)))
    original = Original(file, Language.CUDA, source, _PRELUDE)
    for operator, finders in _OPERATORS.items():
        edits = (edit for find in finders for edit in find(code))
        yield from mutants_by_place(original, operator, edits)


def _bounds(code: CudaSource) -> Iterator[Edit]:
    """`i < n` becomes `i < n - 1`, and `i >= n` becomes `i >= n - 1`."""
    for _, found in code.within(_COMPARISON):
        before = code.text[max(0, found.start() - _NEAR) : found.start()]
        if not _BEFORE_COMPARISON.search(before) or _BEFORE_TEMPLATE.search(before):
            continue
        end = expression_end(code.text, found.end(), (";", ",", "?", ":", "&&", "||", ">", "<", "=", "{"))
        if code.text[end : end + 1] == ">":
            continue  # the `<` began template arguments
        if re.search(r"\bfor\s*\([^;]*;[^;]*$", before) and _GEOMETRIC.match(code.text, end):
            continue  # 256, 128, … never reaches a bound that is off by one
        start, end = trimmed(code.text, found.end(), end)
        if start < end:
            operand = code.text[start:end]
            simple = re.fullmatch(r"[\w.]+", operand)
            yield Edit(start, end, f"{operand} - 1" if simple else f"({operand}) - 1")


def _barriers(code: CudaSource) -> Iterator[Edit]:
    """Yield edits that remove a barrier or a fence."""
    for _, found in code.within(_BARRIER):
        yield Edit(found.start(), found.end(), ";")


def _atomics(code: CudaSource) -> Iterator[Edit]:
    """Yield edits that turn an atomic update into an exchange, so that other threads' updates are lost."""
    for _, found in code.within(_ATOMIC):
        yield Edit(found.start(), found.end(), "atomicExch")


def _linear(code: CudaSource) -> Iterator[Edit]:
    """`row * cols + col` becomes `col * cols + row`, where it is an index."""
    for function, found in code.within(_LINEAR):
        statement = code.text[function.body : found.start()]
        statement = statement[max(statement.rfind(";"), statement.rfind("{"), statement.rfind("}")) + 1 :]
        if statement.count("[") > statement.count("]") or _INTEGER.search(f";{statement}"):
            first, second, third = found.groups()
            if first != third:
                yield Edit(found.start(), found.end(), f"{third} * {second} + {first}")


def _axes(code: CudaSource) -> Iterator[Edit]:
    """`threadIdx.x` becomes `threadIdx.y`, and the other way round, where both are used."""
    places = [(function, found[1], found[2], found) for function, found in code.within(_PLACE)]
    used = {(function, index, axis) for function, index, axis, _ in places}
    for function, index, axis, found in places:
        other = "y" if axis == "x" else "x"
        if (function, index, other) in used:
            yield Edit(found.start(), found.end(), f"{index}.{other}")


def _subscripts(code: CudaSource) -> Iterator[Edit]:
    """`tile[y][x]` becomes `tile[x][y]`."""
    for _, found in code.within(_TWO_SUBSCRIPTS):
        if found[1] != found[2]:
            yield Edit(found.start(1) - 1, found.end(), f"[{found[2]}][{found[1]}]")


def _launches(code: CudaSource) -> Iterator[Edit]:
    """Yield launches with one block fewer in a direction, if the kernel has no grid-stride loop."""
    for found in islice(_LAUNCH.finditer(code.text), _MOST_LOOKED_AT):
        body = code.function(found[1])
        start, end = trimmed(code.text, found.end(), expression_end(code.text, found.end(), (",", ">>>")))
        grid = code.text[start:end]
        if "gridDim" in body or grid == "1":
            continue
        for axis in "xy":
            if f"blockIdx.{axis}" in body:
                yield Edit(start, end, f"warpcourt_fewer_{axis}({grid})")


def _stores(code: CudaSource) -> Iterator[Edit]:
    """Yield edits that round stored or accumulated values to a smaller type."""
    for function, found in code.within(_STORE):
        end = expression_end(code.text, found.end(), (";", ","))
        start, end = trimmed(code.text, found.end(), end)
        value = code.text[start:end]
        loop = code.text.rfind("for (", max(function.body, found.start() - _FAR), found.start())
        if loop >= 0 and closing_of(code.text, loop + 4, end) == end:
            continue  # the step of a loop, which might then never end
        declared = _type_of(code, function, found[1], found.start(), pointed=bool(found[2]))
        if not declared or not value or _CONSTANT.fullmatch(value):
            continue
        if declared in {"float", "float4", "double"}:
            if found[3] == "+=":
                place = code.text[found.start(1) : found.start(3)].strip()
                yield Edit(found.start(1), end, f"{place} = warpcourt_low({place} + ({value}))")
            else:
                yield Edit(start, end, f"warpcourt_low({value})")
        elif declared != "long long" and (found[3] == "+=" or found[2]):
            # Other integers are mostly indices, which are small.
            yield Edit(start, end, f"warpcourt_low({declared}({value}))")


def _type_of(code: CudaSource, function: DeviceFunction, name: str, at: int, *, pointed: bool) -> str:
    """Return the type of `name` in its last declaration before `at`; empty if it has no lower precision."""
    pointer = r"(?:\s*[*&]\s*(?:__restrict__\s+)?|\s+)" if pointed else r"\s+"
    others = r"(?:[\w\s=.]{1,200},\s*)?"  # of the same declaration
    declaration = re.compile(rf"\b({'|'.join(_LOWERED)})(?:\s+const)?{pointer}{others}{name}\b(\s*\[)?")
    found = list(declaration.finditer(code.text, function.start, at + len(name)))
    if not found:
        return ""
    array = bool(found[-1][2]) or "*" in found[-1][0]
    return found[-1][1] if array == pointed else ""


_OPERATORS: Mapping[Operator, Sequence[Find]] = {
    Operator.LAST_ELEMENT: (_bounds,),
    Operator.SYNCHRONISATION: (_barriers, _atomics),
    Operator.INDEX: (_linear, _axes, _subscripts),
    Operator.LAUNCH: (_launches,),
    Operator.DTYPE: (_stores,),
}
