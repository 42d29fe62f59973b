"""Finds mistakes in the declaration of `solve` from errors of the file that calls it (`problems.binding`).

This file checks the declaration of `solve` before it calls the function, so each mistake is one error in this
file. The compiler's messages say which mistake it was, and how `solve` is declared.
"""

import difflib
import re
from collections.abc import Sequence

from judge.compiler.log import LogEntry
from judge.compiler.source import ProgramText
from judge.report import Diagnostic
from problems.binding import signature_cuda
from problems.schema import Problem
from problems.vocabulary import DiagnosticKind, Dtype, Role, Severity

_ASSERTED = re.compile(r'static assertion failed with "(?P<text>.*)"')
_PARAMETERS = re.compile(r"Parameters=<(?P<types>.*)>\]$")
_OTHER = re.compile(r"Other=(?P<type>.*)\]$")
_NARROW = re.compile(
    r"(?:const\s+)?(?:(?:un)?signed(?:\s+int)?|int|u?int32_t)\b(?!\s*(?:long|short|char|\*))"
)


def signature_finding(errors: Sequence[LogEntry], source: ProgramText, problem: Problem) -> Diagnostic:
    """Return one finding for the `errors` of the binding. There must be at least one error."""
    error = errors[0]
    asserted = next((match for entry in errors if (match := _ASSERTED.match(entry.message))), None)
    if 'no "solve"' in error.message:
        return _missing(source, problem)
    if asserted is not None:
        checked = next(entry for entry in errors if _ASSERTED.match(entry.message))
        return _other_type(asserted["text"], checked.instance, source, problem)
    line = source.line_of("solve")
    for words, message in _MISTAKES:
        if words in error.message:
            return _finding(f"{message} Declare it as {signature_cuda(problem)}.", line)
    return _finding(
        "The program conflicts with the call to solve that Warpcourt appends: "
        f"{error.message}. Look for a macro or an unclosed bracket that changes the code after it.",
        None,
    )


def width_notes(source: ProgramText, problem: Problem) -> tuple[Diagnostic, ...]:
    """Return a note on each 64-bit scalar that `solve` clearly declares with 32 bits."""
    parameters = source.parameters_of("solve")
    if len(parameters) != len(problem.arguments):
        return ()
    return tuple(
        Diagnostic(
            Severity.NOTE,
            DiagnosticKind.SIGNATURE,
            f"{argument.name} is {argument.dtype.c_type}, but solve declares it with 32 bits. Larger values "
            f"would be cut off. Declare it as {argument.dtype.c_type} {argument.name}.",
            line=source.line_of("solve"),
        )
        for argument, written in zip(problem.arguments, parameters, strict=True)
        if argument.role is Role.SCALAR and argument.dtype is Dtype.INT64 and _NARROW.match(written)
    )


_MISTAKES = (
    (
        "__global__ function call must be configured",
        "solve must be a host function, but this one is a kernel.",
    ),
    ("calling a __device__ function", "solve must be a host function, but this one runs on the device."),
    ("overloaded function", "The program defines solve more than once, so the call is ambiguous."),
    ("function template", "solve must be a plain function, but this one is a template."),
    ("type name is not allowed", "solve must be a function, but this one is a type."),
)


def _missing(source: ProgramText, problem: Problem) -> Diagnostic:
    wanted = signature_cuda(problem)
    line = source.line_of("solve")
    if line is not None:
        return _finding(
            "solve is not in the global scope. "
            f"Move it out of its namespace or class, and declare it as {wanted}.",
            line,
        )
    functions = dict(reversed(source.functions()))
    near = difflib.get_close_matches("solve", [name.lower() for name in functions], n=1, cutoff=0.5)
    for name, place in functions.items():
        if name.lower() in near or len(functions) == 1:
            return _finding(
                f"The program does not define solve; it defines {name} on line {place}. "
                f"This problem calls {wanted}.",
                place,
            )
    return _finding(f"The program does not define solve. This problem calls {wanted}.", None)


def _other_type(text: str, instance: str, source: ProgramText, problem: Problem) -> Diagnostic:
    wanted = signature_cuda(problem).partition("(")[2]
    line = source.line_of("solve")
    parameters, other = _PARAMETERS.search(instance), _OTHER.search(instance)
    if parameters is None:
        kind = f" of type {_plain(other['type'])}" if other else ""
        return _finding(
            f"solve must be a function, but this one is a variable{kind}. "
            f"Declare it as {signature_cuda(problem)}.",
            line,
        )
    declared = (
        f"solve is declared with ({_plain(parameters['types'])}), but this problem calls it with ({wanted}."
    )
    named = text.startswith("argument ")
    return _finding(f"{declared} {text[0].upper()}{text[1:]}." if named else declared, line)


def _plain(types: str) -> str:
    """Return `types` in the usual spelling: `const float*` for `const float *`."""
    return types.replace(" *", "*").replace(" &", "&")


def _finding(message: str, line: int | None) -> Diagnostic:
    return Diagnostic(Severity.ERROR, DiagnosticKind.SIGNATURE, message, line=line)
