"""Tests the lexer and the parser: the meaning of PTX, and errors with a line for hostile text."""

import time

import pytest

from sandbox.cpu.translator import translate
from sandbox.cpu.translator.errors import PtxSyntaxError, TranslationError
from sandbox.cpu.translator.lexer import tokenize
from sandbox.cpu.translator.parser import parse
from sandbox.cpu.translator.syntax import (
    Address,
    Guard,
    Instruction,
    Label,
    Name,
    Number,
    Offset,
    Pair,
    Registers,
    Scope,
    SourceLocation,
    Statement,
    Unary,
    Vector,
)

from .harness import HEADER


def body(text: str) -> tuple[Statement, ...]:
    """The statements of a kernel with this body."""
    function = parse(f"{HEADER}.visible .entry k()\n{{\n{text}\n}}").functions[0]
    return function.body or ()


def instruction(text: str) -> Instruction:
    """The one instruction in a text."""
    (statement,) = body(text)
    assert isinstance(statement, Instruction)
    return statement


def test_lexer_keeps_opcodes_whole_and_splits_directives() -> None:
    assert tokenize("@!%p1 ld.global.L1::no_allocate.v2.f32 {%f1,%f2}, [%rd1+-4]; // x").texts == [
        *("@", "!", "%p1", "ld.global.L1::no_allocate.v2.f32", "{", "%f1", ",", "%f2", "}", ","),
        *("[", "%rd1", "+", "-", "4", "]", ";"),
    ]
    assert tokenize(".reg.b32 %r<5>; .param::entry").texts[:3] == [".reg", ".b32", "%r"]


def test_lexer_knows_lines_through_comments() -> None:
    tokens = tokenize("/* one\ntwo */ a\n// three\nb")
    assert [tokens.line(index) for index in range(2)] == [2, 4]


def test_lexer_drops_debug_sections() -> None:
    assert tokenize(".section .debug_str\n{\n$L_info: .b8 95,0\n}\nx").texts == ["x"]


def test_operands() -> None:
    parsed = instruction(
        "@!%p1 foo.b32 %r1, !%p2, -5, 0x1Fu, sym+8, [%rd1-4], {a, _}, d|p;".replace("1Fu", "1FU")
    )
    assert parsed.guard == Guard("%p1", negated=True)
    assert parsed.operands == (
        Name("%r1"),
        Unary("!", Name("%p2")),
        Number(-5, 0),
        Number(31, 0),
        Offset(Name("sym"), 8),
        Address(Name("%rd1"), -4, ()),
        Vector((Name("a"), Name("_"))),
        Pair(Name("d"), Name("p")),
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0f3F800000", Number(0x3F800000, 32)),
        ("0d3FF0000000000000", Number(0x3FF << 52, 64)),
        ("-0f3F800000", Number(0xBF800000, 32)),
        ("0b101", Number(5, 0)),
        ("017", Number(15, 0)),
        ("4294967295U", Number(0xFFFFFFFF, 0)),
        ("1.5", Number(0x3FF8 << 48, 64)),
    ],
)
def test_numbers(text: str, number: Number) -> None:
    assert instruction(f"mov.b32 %r1, {text};").operands[1] == number


def test_locations_with_inlining() -> None:
    (location,) = body(".loc 2 115 4, function_name $L__info_string1+0, inlined_at 1 2 30")
    assert location == SourceLocation(2, 115, 4, (1, 2, 30))


def test_registers_labels_and_scopes() -> None:
    registers, label, scope = body(".reg .b32 %r<47>, %x; $L_1: { .reg .pred %p; }")
    assert isinstance(registers, Registers)
    assert registers.names == (("%r", 47), ("%x", 0))
    assert label == Label("$L_1")
    assert isinstance(scope, Scope)


def test_variables_and_initialisers() -> None:
    module = parse(
        f"{HEADER}.global .align 8 .u64 table[3] = {{f, generic(data)+4, 7}};\n"
        ".const .align 4 .f32 weights[2][2] = {{0f3F800000, 0f40000000}, {0f00000000, 0fBF800000}};\n"
        ".global .attribute(.managed) .align 4 .b32 counter; .extern .shared .align 16 .b8 dynamic[];\n"
        ".visible .global .v4 .f32 quads[2];\n"
    )
    by_name = {variable.name: variable for variable in module.variables}
    assert [value.symbol for value in by_name["table"].values] == ["f", "data", ""]
    assert by_name["table"].values[1].number.value == 4
    assert by_name["weights"].size_bytes == 16
    assert by_name["dynamic"].external
    assert by_name["quads"].size_bytes == 32
    assert by_name["quads"].alignment_bytes == 16


def test_function_headers() -> None:
    module = parse(
        f"{HEADER}.weak .func (.param .b32 result) f(.param .b64 x, .param .align 8 .b8 y[12]) .noreturn;\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 p) .maxntid 256, 1, 1 "
        ".minnctapersm 2 { ret; }\n"
        ".alias g, f;\n"
    )
    declared, kernel = module.functions
    assert declared.body is None
    assert declared.parameters[1].size_bytes == 12
    assert kernel.is_entry
    assert kernel.max_threads == 256
    assert module.aliases == {"g": "f"}


HOSTILE = {
    "unbalanced": (".entry k() { ret;", "never closed"),
    "stray brace": ("}", "unknown directive"),
    "no semicolon": (".entry k() { mov.b32 %r1, 1 }", "expected ';'"),
    "unknown directive": (".entry k() { .frobnicate 1; }", "unknown directive '.frobnicate'"),
    "unknown module directive": (".frobnicate", "unknown directive"),
    "unknown type": (".global .q32 x;", "expected a type"),
    "huge number": (f".entry k() {{ mov.b32 %r1, {'9' * 4000}; }}", "expected a number"),
    "wide number": (f".entry k() {{ mov.b32 %r1, 0x1{'0' * 40}; }}", "128 bits"),
    "bad octal": (".entry k() { mov.b32 %r1, 09; }", "not a number"),
    "register flood": (".entry k() { .reg .b32 %r<99999999999>; }", "registers"),
    "huge variable": (".global .b8 x[999999999999999];", "larger than"),
    "huge dimensions": (f".global .b8 x{'[999999999]' * 50};", "larger than"),
    "too many values": (".global .b8 x[1] = {1, 2};", "more initial values"),
    "bad alignment": (".global .align 3 .b8 x;", "not an alignment"),
    "deep scopes": (".entry k() " + "{" * 100_000, "nested more than"),
    "deep vectors": (".entry k() { mov.b32 " + "{" * 100_000, "nested more than"),
    "deep negation": (".entry k() { mov.b32 %r1, " + "!" * 100_000, "nested more than"),
    "deep initialiser": (".global .b8 x[9] = " + "{" * 100_000, "nested more than"),
    "unterminated string": ('.file 1 "abc', "unexpected character"),
    "unterminated comment": ("/* abc", "unexpected"),
    "strange character": (".entry k() { ` }", "unexpected character"),
    "long name": (".entry " + "x" * 100_000, "too long"),
    "32-bit addresses": (".address_size 32", "64-bit"),
    "ends in a header": (".entry k(", "file ends"),
    "binary": ("\x00\x01\x02", "unexpected character"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_at_once(name: str) -> None:
    text, message = HOSTILE[name]
    began_s = time.monotonic()
    with pytest.raises(PtxSyntaxError, match=message) as refused:
        translate(f"{HEADER}{text}")
    assert time.monotonic() - began_s < 5
    assert str(refused.value).startswith("PTX line ")


@pytest.mark.parametrize(
    "text", [" " * 200_000, "//" * 100_000, "/**/" * 50_000, ";" * 50_000, "\n" * 200_000]
)
def test_much_ado_about_nothing_is_fast(text: str) -> None:
    began_s = time.monotonic()
    translate(HEADER + text)
    assert time.monotonic() - began_s < 5


def test_an_error_names_its_line() -> None:
    with pytest.raises(PtxSyntaxError, match="PTX line 6: "):
        parse(f"{HEADER}.entry k()\n{{\nmov.b32 %r1 %r2;\n}}")


SAMPLE = f"""{HEADER}.visible .entry k(.param .u64 p, .param .align 4 .b8 q[8])
{{
.reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<2>; .reg .b64 %rd<3>;
.loc 1 3 0
.shared .align 4 .b8 tile[64];
ld.param.u64 %rd1, [p];
$L_top: setp.lt.s32 %p1, %r1, 16;
@%p1 bra $L_top;
{{ .reg .b32 t; mov.b32 t, {{%r1, 0x10}}; shfl.sync.bfly.b32 %r2|%p1, t, 1, 31, -1; }}
st.shared.f32 [tile+4], 0f3F800000;
ret;
}}
.file 1 "solution.cu"
"""


def test_every_truncation_and_every_missing_token_is_survived() -> None:
    tokens = tokenize(SAMPLE).texts
    for index in range(len(tokens)):
        for damaged in (tokens[:index], tokens[:index] + tokens[index + 1 :], tokens[:index] * 2):
            try:
                translate(" ".join(damaged))
            except TranslationError:
                continue  # the only error there may be
