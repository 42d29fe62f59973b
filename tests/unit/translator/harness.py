"""Compiles instruction forms and runs them on rows of operands, for comparison with a model.

Every form becomes one kernel: it loads its sources, executes the instruction, stores its results. Values are
bit patterns throughout, so that nothing is lost on the way.
"""

import ctypes
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sandbox.cpu.translator import translate
from sandbox.cpu.translator.ptx_types import TYPES
from testing.services import need

RUNTIME = Path(__file__).parents[3] / "sandbox" / "cpu" / "runtime"
STUB = Path(__file__).parent / "stub.cpp"
FLAGS = (
    *("-std=c++20", "-O1", "-march=native", "-w", "-fPIC", "-shared", "-ffp-contract=off"),
    *("-fno-strict-aliasing", "-fwrapv", "-fno-exceptions"),
)
SLOT_BYTES = 16
RANDOM_ROWS = 60
_MOST_SPECIAL_ROWS = 500

HEADER = ".version 9.0\n.target sm_80\n.address_size 64\n"

Model = Callable[..., object]

INTEGER_SPECIALS = (0, 1, 2, 3, -1, -2, 7, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256)
FLOAT_SPECIALS = {
    "f16": (0, 1, 2, 0x3FF, 0x400, 0x3C00, 0x3555, 0x4248, 0x7BFF, 0x7C00, 0x7E00, 0x3800, 0x3801),
    "bf16": (0, 1, 2, 0x7F, 0x80, 0x3F80, 0x3EAB, 0x4049, 0x7F7F, 0x7F80, 0x7FC0, 0x3F00, 0x3F01),
    "f32": (
        *(0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x3F800001, 0x3F000000, 0x40490FDB, 0x4F000000),
        *(0x4F7FFFFF, 0x5F000000, 0x477FE000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x33000000),
        *(0x42280000, 0x3FC00000, 0x40200000),
    ),
    "f64": (
        *(0, 1, 0xFFFFFFFFFFFFF, 1 << 52, 0x3FF << 52, 0x3FF0000000000001, 0x3FE << 52),
        *(0x400921FB54442D18, 0x41E0000000000000, 0x43E0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF << 52),
        *(0x7FF8 << 48, 0x3FF8 << 48, 0x47EFFFFFE0000000, 0x36A0000000000000, 0x3690000000000000),
        0x40EFFE0000000000,
    ),
}


@dataclass(frozen=True)
class Form:
    """One instruction form. `{d}` `{e}` are results, `{a}` `{b}` `{c}` `{f}` sources in the text.

    Attributes:
        text: PTX statements; names of registers in braces.
        sources: the PTX type of each source.
        results: the PTX type of each result; `pred` results are stored as 0 or 1.
        model: given the sources' bit patterns, the results' (one, or a tuple); None: any value is right.
        same: compares the result with the model's; by default equality of bits, all NaNs being equal.
    """

    text: str
    sources: tuple[str, ...]
    results: tuple[str, ...]
    model: Model
    same: Callable[[int, int], bool] | None = None

    @property
    def label(self) -> str:
        return self.text.split(";")[0].split(" ")[0]

    def kernel(self, index: int) -> str:
        declared: list[str] = []
        loads: list[str] = []
        stores: list[str] = []
        names = {}
        for letter, kind in zip("abcfgh", self.sources, strict=False):
            names[letter] = f"%{letter}"
            offset = SLOT_BYTES * len(loads)
            if kind == "pred":
                declared += [f".reg .pred %{letter};", f".reg .b32 %{letter}word;"]
                loads.append(
                    f"ld.global.b32 %{letter}word, [%in+{offset}]; setp.ne.s32 %{letter}, %{letter}word, 0;"
                )
            else:
                declared.append(f".reg .{register_type(kind)} %{letter};")
                loads.append(f"ld.global.{register_type(kind)} %{letter}, [%in+{offset}];")
        for number, (letter, kind) in enumerate(zip("dexyzw", self.results, strict=False)):
            names[letter] = f"%{letter}"
            offset = SLOT_BYTES * number
            if kind == "pred":
                declared += [f".reg .pred %{letter};", f".reg .b32 %{letter}word;"]
                stores.append(
                    f"selp.b32 %{letter}word, 1, 0, %{letter}; st.global.b32 [%out+{offset}], %{letter}word;"
                )
            else:
                declared.append(f".reg .{register_type(kind)} %{letter};")
                stores.append(f"st.global.{register_type(kind)} [%out+{offset}], %{letter};")
        return "\n".join(
            (
                f".visible .entry form{index}(.param .u64 inputs, .param .u64 outputs)\n{{",
                ".reg .b64 %in; .reg .b64 %out;",
                *declared,
                "ld.param.u64 %in, [inputs]; ld.param.u64 %out, [outputs];",
                *loads,
                self.text.format_map(names),
                *stores,
                "ret;\n}",
            )
        )


def register_type(kind: str) -> str:
    """The register type for a value: PTX has no 8-bit arithmetic, halves live in untyped registers."""
    if kind in ("f32", "f64"):
        return kind
    return f"b{max(TYPES[kind].bits, 8)}"


def specials(kind: str) -> list[int]:
    """Bit patterns of a type that tend to go wrong."""
    if kind == "pred":
        return [0, 1]
    base = kind.removesuffix("x2") if kind not in ("u16x2", "s16x2") else kind
    if base in FLOAT_SPECIALS:
        bits = TYPES[base].bits
        signed = [value | sign << (bits - 1) for value in FLOAT_SPECIALS[base] for sign in (0, 1)]
        if base == kind:
            return signed
        return [low | high << 16 for low, high in zip(signed, reversed(signed), strict=True)]
    bits = TYPES[kind].bits
    edges = [1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1]
    return sorted({value & ((1 << bits) - 1) for value in (*INTEGER_SPECIALS, *edges)})


def rows(form: Form) -> Iterator[tuple[int, ...]]:
    """Operands for a form: special values crossed (a sample, when they are many), then random patterns."""
    chance = random.Random(form.text)
    choices = [specials(kind) for kind in form.sources]
    total = 1
    for choice in choices:
        total *= len(choice)
    for index in (
        range(total) if total <= _MOST_SPECIAL_ROWS else chance.sample(range(total), _MOST_SPECIAL_ROWS)
    ):
        row = []
        rest = index
        for choice in choices:
            rest, place = divmod(rest, len(choice))
            row.append(choice[place])
        yield tuple(row)
    for _ in range(RANDOM_ROWS):
        yield tuple(chance.getrandbits(1 if kind == "pred" else TYPES[kind].bits) for kind in form.sources)


class Compiled:
    """A shared object with one kernel per form."""

    def __init__(self, ptx: str, folder: Path) -> None:
        need(shutil.which("g++") is not None, "g++", "apt-get install g++")
        self.cpp = translate(ptx)
        source = folder / "forms.cpp"
        source.write_text(self.cpp)
        library = folder / "forms.so"
        argv = ["g++", *FLAGS, f"-I{RUNTIME}", str(source), str(STUB), "-o", str(library), "-lpthread"]
        subprocess.run(argv, check=True, timeout=240)
        self._path = library

    @cached_property
    def library(self) -> ctypes.CDLL:
        """The loaded object."""
        return ctypes.CDLL(str(self._path))

    def run_rows(self, index: int, inputs: bytes, outputs_bytes: int, count: int) -> bytes:
        """Run kernel `index` once per row."""
        out = ctypes.create_string_buffer(outputs_bytes * count)
        self.library.run_rows(index, inputs, len(inputs) // count, out, outputs_bytes, count)
        return out.raw

    def run_warp(self, index: int, inputs: bytes, outputs_bytes: int) -> bytes:
        """Run kernel `index` in 32 lanes, each with its slice of the inputs."""
        out = ctypes.create_string_buffer(outputs_bytes * 32)
        self.library.run_warp(index, inputs, len(inputs) // 32, out, outputs_bytes)
        return out.raw


def compile_forms(forms: Sequence[Form], folder: Path) -> Compiled:
    """One module for all forms."""
    kernels = "\n".join(form.kernel(index) for index, form in enumerate(forms))
    return Compiled(f"{HEADER}{kernels}\n", folder)


def is_nan(kind: str, value: int) -> bool:
    """Whether a bit pattern is a NaN of a float type."""
    masks = {"f16": (0x7FFF, 0x7C00), "bf16": (0x7FFF, 0x7F80), "f32": (0x7FFFFFFF, 0x7F800000)}
    masks["f64"] = ((1 << 63) - 1, 0x7FF << 52)
    if kind not in masks:
        return False
    mask, infinity = masks[kind]
    return value & mask > infinity


def same_bits(kind: str, got: int, expected: int) -> bool:
    """Equality; one NaN is as good as another."""
    if kind.endswith("x2") and kind not in ("u16x2", "s16x2"):
        half = kind.removesuffix("x2")
        return all(same_bits(half, got >> shift & 0xFFFF, expected >> shift & 0xFFFF) for shift in (0, 16))
    return got == expected or (is_nan(kind, got) and is_nan(kind, expected))


def check(compiled: Compiled, index: int, form: Form) -> None:
    """Run a form on its rows and compare every result with the model's."""
    operands = list(rows(form))
    inputs = b"".join(
        b"".join(value.to_bytes(SLOT_BYTES, "little") for value in row) or bytes(SLOT_BYTES)
        for row in operands
    )
    stride = SLOT_BYTES * len(form.results)
    raw = compiled.run_rows(index, inputs, stride, len(operands))
    for number, row in enumerate(operands):
        modelled = form.model(*row)
        expected = modelled if isinstance(modelled, tuple) else (modelled,)
        for place, (kind, value) in enumerate(zip(form.results, expected, strict=True)):
            if value is None:
                continue
            start = number * stride + place * SLOT_BYTES
            size_bytes = 4 if kind == "pred" else TYPES[kind].size_bytes
            got = int.from_bytes(raw[start : start + size_bytes], "little")
            assert isinstance(value, int)
            agree = form.same(got, value) if form.same else same_bits(kind, got, value)
            assert agree, (
                f"{form.text} of {[hex(operand) for operand in row]}: got {got:#x}, model {int(value):#x}"
            )
