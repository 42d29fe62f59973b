"""One sentence of advice for each frequent compiler error, selected by the wording of nvcc's message."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from judge.compiler.log import LogEntry
from judge.compiler.names import HEADERS, SYNONYMS, header_of, nearest
from judge.compiler.source import ProgramText

_LAUNCH = "Write a launch as kernel<<<blocks, threads>>>(arguments)."
_WAITS = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize"}
_PYTHON = {"import", "def", "from", "elif", "lambda", "None", "self"}


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern for the beginning of an error message, and the advice on this error."""

    pattern: re.Pattern[str]
    advice: str | Callable[[re.Match[str], LogEntry, ProgramText], str]


def advice_on(entry: LogEntry, source: ProgramText) -> str:
    """Return one sentence of advice on `entry`; empty if there is none."""
    for rule in _RULES:
        if match := rule.pattern.match(entry.message):
            return rule.advice if isinstance(rule.advice, str) else rule.advice(match, entry, source)
    return ""


def _undefined(match: re.Match[str], _: LogEntry, source: ProgramText) -> str:
    name = match[1]
    if name in _PYTHON:
        return "This looks like Python, but the language of this submission is CUDA C++."
    if header := header_of(name):
        return f"Include <{header}>."
    near = nearest(name, source.names())
    if not near:
        return ""
    include = f", of <{header_of(near)}>" if header_of(near) else ""
    return f'Did you mean "{near}"{include}?'


def _unknown_scope(_: re.Match[str], entry: LogEntry, __: ProgramText) -> str:
    name = entry.pointed
    if not (header := header_of(name)):
        return ""
    full = f" and write {SYNONYMS[name]}" if name in SYNONYMS else ""
    return f"Include <{header}>{full}."


def _semicolon(_: re.Match[str], entry: LogEntry, source: ProgramText) -> str:
    if entry.first and entry.source_line and (before := source.code_before(entry.source_line)):
        return f"Look at the end of line {before}."
    return ""


def _header(match: re.Match[str], _: LogEntry, __: ProgramText) -> str:
    if match[1] in HEADERS:
        return "This installation does not have this header. Write the code without it."
    near = difflib.get_close_matches(match[1], HEADERS, n=1, cutoff=0.75)
    if near:
        return f"Did you mean <{near[0]}>?"
    return "A program is a single file. It can include the headers of CUDA and of the C++ standard library."


def _declaration(_: re.Match[str], entry: LogEntry, __: ProgramText) -> str:
    return "There is an extra closing brace, here or earlier." if entry.pointed == "}" else ""


def _incompatible(match: re.Match[str], _: LogEntry, __: ProgramText) -> str:
    if match[1] == f"const {match[2]}":
        return "Inputs must not be changed. If the function only reads the parameter, declare it const."
    return "Pass the arguments in the order in which they are declared."


def _host_function(match: re.Match[str], _: LogEntry, source: ProgramText) -> str:
    name = match[1].partition("(")[0]
    if source.declares(name):
        return f"Put __device__ before the declaration of {name}."
    if name.startswith("std::"):
        return (
            "Most functions of the C++ standard library run on the host only. Use CUDA's "
            "equivalent or write your own."
        )
    if name in _WAITS:
        return (
            "It runs on the host only. The threads of a block wait for each other with __syncthreads(). "
            "A kernel cannot wait for other kernels: launch the work that must follow after them."
        )
    return "It runs on the host only."


def _rules(
    *table: tuple[str, str | Callable[[re.Match[str], LogEntry, ProgramText], str]],
) -> tuple[_Rule, ...]:
    return tuple(_Rule(re.compile(pattern), advice) for pattern, advice in table)


# Patterns are matched at the beginning of a message. The length of messages is bounded.
_RULES = _rules(
    (
        r'identifier "([^"]{1,200})" is undefined in device code',
        "Put __device__ or __constant__ before its declaration.",
    ),
    (r'identifier "([^"]{1,200})" is undefined', _undefined),
    (r'name followed by "::" must be a class or namespace name', _unknown_scope),
    (r'expected a ">>>"', _LAUNCH),
    (r'expected a ";"', _semicolon),
    (r"expected a declaration", _declaration),
    (r'expected a "}"', "The block that starts here is never closed."),
    (r"missing closing quote|unterminated comment", "It is never closed, so all later code is part of it."),
    (
        r"(?:extended character|unrecognized token)",
        "Characters copied from a web page may look right and still be different. Type them again.",
    ),
    (r'calling a (?:constexpr )?__host__ function\("([^"]{1,200})', _host_function),
    (
        r"calling a __device__ function",
        "Call it in a kernel, or put __host__ __device__ before its declaration.",
    ),
    (
        r"kernel launch from __device__ or __global__ functions requires separate compilation",
        "This problem does not allow launches from device code. Launch the kernel from solve.",
    ),
    (r"a __global__ function call must be configured", _LAUNCH),
    (
        r'no suitable constructor exists to convert from "[^"]{0,200}" to "dim3"',
        f"{_LAUNCH} Both are integers or dim3.",
    ),
    (r'no instance of constructor "dim3::dim3"', "A dim3 takes up to three integers: dim3 block(16, 16)."),
    (
        r"a __global__ function must have a void return type",
        "A kernel writes its results through a pointer.",
    ),
    (
        r"too (?:few|many) arguments in function call",
        "Compare the call with the declaration of the function.",
    ),
    (
        r'argument of type "([^"]{1,200})" is incompatible with parameter of type "([^"]{1,200})"',
        _incompatible,
    ),
    (
        r"expression must be a modifiable lvalue",
        "It is const, an array or a temporary value. None of these can be assigned to.",
    ),
    (r"(.{1,200}): No such file or directory", _header),
    (
        r"a variable length array cannot have static storage",
        "Use a constant size, or extern __shared__ with the size as the third launch parameter.",
    ),
    (r"initializer not allowed for __shared__", "Let the threads write it, then call __syncthreads()."),
    (
        r'function "[^"]{1,200}" has already been defined|"[^"]{1,200}" has already been declared',
        "Rename or remove one of them.",
    ),
    (
        r"(?:[Uu]ndefined reference|[Uu]nresolved extern)",
        "It is declared, but the program does not define it.",
    ),
    (
        r".{0,300}uses too much shared data",
        "Use less, or use extern __shared__ and raise the limit with cudaFuncSetAttribute.",
    ),
    (
        r"no instance of overloaded function",
        "Compare the types of the arguments with those of the parameters.",
    ),
    (r"excessive recursion", "A recursive template needs a specialisation that ends the recursion."),
)
