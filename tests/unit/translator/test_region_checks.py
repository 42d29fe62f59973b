"""Tests accesses to local arrays and parameters by register: they must be inside one and aligned."""

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from sandbox.cpu.translator import translate

from .harness import HEADER, Compiled

WIDTHS = {"b8": 1, "b16": 2, "b32": 4, "b64": 8}
LAYOUTS = ((16,), (1,), (16, 24), (8, 3, 40), (4, 4, 4, 4))
LOCAL = [
    (sizes, width, access) for sizes in LAYOUTS for width in WIDTHS for access in ("ld.local", "st.local")
]
PARAMETER = [
    (sizes, width, access)
    for sizes in ((), *LAYOUTS[1:4])
    for width in WIDTHS
    for access in ("ld.param", "st.param")
]
OFFSETS = (*range(-9, 50), -(1 << 31), -(1 << 63), (1 << 63) - 1, 1 << 32, 64 << 10)


def kernel(index: int, sizes: tuple[int, ...], width: str, access: str) -> str:
    """Says where each array lies, takes an array and an offset, says where that is and that it came back."""
    space = access.removeprefix("ld.").removeprefix("st.")
    names = [f"array{number}" for number in range(len(sizes))]
    if space == "param":
        names = [f"inputs{index}", *names]
    register = {"b8": "%h", "b16": "%h", "b32": "%r", "b64": "%d"}[width]
    operands = f"{register}, [%p]" if access.startswith("ld") else f"[%p], {register}"
    return "\n".join(
        (
            f".visible .entry k{index}(.param .u64 inputs{index}, .param .u64 outputs{index})\n{{",
            ".reg .b16 %h; .reg .b32 %r; .reg .b64 %d, %in, %out, %p, %off, %which; .reg .pred %is;",
            f"ld.param.u64 %in, [inputs{index}]; ld.param.u64 %out, [outputs{index}];",
            "ld.global.u64 %which, [%in]; ld.global.u64 %off, [%in+8];",
            *(
                # Each in a scope of its own, as inline assembly declares them.
                f"{{ .{space} .align 8 .b8 array{number}[{size}]; mov.u64 %p, array{number};"
                f" st.global.u64 [%out+{16 + 8 * names.index(f'array{number}')}], %p; }}"
                for number, size in enumerate(sizes)
            ),
            f"mov.u64 %p, inputs{index}; st.global.u64 [%out+16], %p;" if space == "param" else "",
            "shl.b64 %which, %which, 3; add.u64 %p, %out, %which; ld.global.u64 %p, [%p+16];",
            "add.u64 %p, %p, %off; st.global.u64 [%out], %p;",
            f"{access}.{width} {operands};",
            "mov.b64 %d, 1; st.global.u64 [%out+8], %d;",
            "ret;\n}",
        )
    )


def check(forms: Sequence[tuple[tuple[int, ...], str, str]], folder: Path, own: tuple[int, ...]) -> None:
    """Run each form on every offset into every array. `own` are the sizes of arrays that are there anyway."""
    text = "\n".join(kernel(index, *form) for index, form in enumerate(forms))
    compiled = Compiled(f"{HEADER}{text}\n", folder)
    assert "wc_unsupported" not in compiled.cpp
    for index, (declared, width, access) in enumerate(forms):
        sizes = (*own, *declared)
        stride = 16 + 8 * len(sizes)
        rows = [(which, offset) for which in range(len(sizes)) for offset in OFFSETS]
        inputs = b"".join(struct.pack("<Qq", *row) for row in rows)
        raw = compiled.run_rows(index, inputs, stride, len(rows))
        for number, row in enumerate(rows):
            at, came_back, *bases = struct.unpack_from(f"<{2 + len(sizes)}Q", raw, number * stride)
            inside = any(
                base <= at <= base + size - WIDTHS[width] and (at - base) % WIDTHS[width] == 0
                for base, size in zip(bases, sizes, strict=True)
            )
            assert came_back == inside, (access, width, sizes, row)


def test_local_arrays(tmp_path: Path) -> None:
    check(LOCAL, tmp_path, ())


def test_parameters_and_those_of_calls(tmp_path: Path) -> None:
    check(PARAMETER, tmp_path, (16,))


@pytest.mark.parametrize(
    "access",
    [
        "ld.local.b32 %r1, [%rd1];",  # there is none
        "{ .local .b8 x[4]; ld.local.b32 %r1, [x+4]; }",
        "ld.param.b32 %r1, [k_0+8];",
        "{ .param .b8 x[4]; st.param.b64 [x], %rd1; }",
        "{ .param .b8 x[4]; st.param.v2.b32 [x], {%r1, %r2}; }",
    ],
)
def test_a_name_with_a_constant_beyond_it_is_checked(access: str) -> None:
    cpp = translate(
        f"{HEADER}.entry k(.param .u64 k_0) {{ .reg .b32 %r<3>; .reg .b64 %rd<3>;\n{access}\nret; }}\n"
    )
    assert "within<" in cpp or "local<" in cpp


PROTOTYPE = "p : .callprototype (.param .b64 _) _ (.param .b64 _);"
CALLEE = ".func (.param .align 8 .b8 r[16]) f(.param .b64 x) { ret; }\n"


@pytest.mark.parametrize(
    "call",
    [
        "{ .param .b8 a; .param .align 8 .b8 r[16]; call (r), f, (a); }",
        "{ .param .b64 a; .param .b64 r; call (r), f, (a); }",
        "{ .param .b64 a; call f, (a); }",
        "{ .local .b64 a; .param .align 8 .b8 r[16]; call (r), f, (a); }",
        f"{{ .param .b64 a; .param .b8 r; {PROTOTYPE} call (r), %rd1, (a), p; }}",
    ],
)
def test_a_call_with_arguments_of_another_size_is_refused(call: str) -> None:
    cpp = translate(f"{HEADER}{CALLEE}.entry k() {{ .reg .b64 %rd<3>;\n{call}\nret; }}\n")
    assert 'wc_unsupported(T, "call", 0);' in cpp
