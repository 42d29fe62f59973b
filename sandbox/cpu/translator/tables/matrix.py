"""Matrix operations of a warp. Source: PTX ISA 9.0, section 9.7.14.

One lane's fragments go to `wc_warp_combine`; the last lane to arrive computes for all 32.
"""

import re

from ..emission import Emission
from ..errors import UnsupportedForm
from ..ptx_types import TYPES, Type
from ..syntax import Instruction, Operand
from .entry import InstructionEntry

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_ELEMENTS = {
    "f16": "ElementHalf<F16>",
    "bf16": "ElementHalf<BF16>",
    "tf32": "ElementTf32",
    "f32": "ElementFloat",
    "f64": "ElementDouble",
    "s8": "ElementSmall<s8, 8>",
    "u8": "ElementSmall<u8, 8>",
    "s4": "ElementSmall<s8, 4>",
    "u4": "ElementSmall<u8, 4>",
    "b1": "ElementBit",
    "s32": "ElementInt",
}
_COUNTS = {"x1": 1, "x2": 2, "x4": 4}
_LANES = 32


def _shape(instruction: Instruction) -> tuple[int, int, int]:
    for modifier in instruction.modifiers:
        match = _SHAPE.fullmatch(modifier)
        if match:
            return int(match[1]), int(match[2]), int(match[3])
    raise UnsupportedForm(instruction.opcode)


# Factors, shapes and totals that go together. Source: PTX ISA 9.0, sections 9.7.14.1 (shapes) and 9.7.14.2.
_HALF = frozenset({"f16", "f32"})
_FORMS: dict[str, tuple[tuple[frozenset[str], frozenset[str], frozenset[str]], ...]] = {
    "mma": (
        (frozenset({"f16"}), frozenset({"m16n8k8", "m16n8k16"}), _HALF),
        (frozenset({"bf16"}), frozenset({"m16n8k8", "m16n8k16"}), frozenset({"f32"})),
        (frozenset({"tf32"}), frozenset({"m16n8k4", "m16n8k8"}), frozenset({"f32"})),
        (frozenset({"f64"}), frozenset({"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}), frozenset({"f64"})),
        (frozenset({"s8", "u8"}), frozenset({"m8n8k16", "m16n8k16", "m16n8k32"}), frozenset({"s32"})),
        (frozenset({"s4", "u4"}), frozenset({"m8n8k32", "m16n8k32", "m16n8k64"}), frozenset({"s32"})),
        (frozenset({"b1"}), frozenset({"m8n8k128", "m16n8k128", "m16n8k256"}), frozenset({"s32"})),
    ),
    "wmma": (
        (frozenset({"f16"}), frozenset({"m16n16k16", "m32n8k16", "m8n32k16"}), _HALF),
        (frozenset({"bf16"}), frozenset({"m16n16k16", "m32n8k16", "m8n32k16"}), frozenset({"f32"})),
        (frozenset({"tf32"}), frozenset({"m16n16k8"}), frozenset({"f32"})),
        (frozenset({"f64"}), frozenset({"m8n8k4"}), frozenset({"f64"})),
        (frozenset({"s8", "u8"}), frozenset({"m16n16k16", "m32n8k16", "m8n32k16"}), frozenset({"s32"})),
        (frozenset({"s4", "u4"}), frozenset({"m8n8k32"}), frozenset({"s32"})),
        (frozenset({"b1"}), frozenset({"m8n8k128"}), frozenset({"s32"})),
    ),
}


def _require_form(instruction: Instruction, factors: tuple[Type, ...], totals: tuple[Type, ...]) -> None:
    """Raises UnsupportedForm unless some hardware has this shape with these types."""
    shape = "m{}n{}k{}".format(*_shape(instruction))
    for kinds, shapes, sums in _FORMS[instruction.name]:
        if (
            shape in shapes
            and kinds.issuperset(kind.name for kind in factors)
            and sums.issuperset(kind.name for kind in totals)
        ):
            return
    raise UnsupportedForm(instruction.opcode)


def _require_room(
    instruction: Instruction, operand: Operand, kind: Type, elements: int, code: Emission
) -> None:
    """Raises UnsupportedForm where the registers do not hold a lane's share of a matrix of `elements`."""
    held = len(code.elements(operand)) * _word(kind).bits // kind.bits
    if held < elements // _LANES or (instruction.name == "mma" and held != elements // _LANES):
        raise UnsupportedForm(instruction.opcode)


def _word(kind: Type) -> Type:
    """The register that carries elements of a type."""
    return TYPES["b64"] if kind.name == "f64" else TYPES["b32"]


def _fragment(code: Emission, operand: Operand, kind: Type) -> str:
    return ", ".join(code.read(element, _word(kind)) for element in code.elements(operand))


def _multiply(code: Emission, instruction: Instruction) -> str:
    """Both mma and wmma.mma: D = A·B + C."""
    types = instruction.types
    if len(types) == 2:  # wmma with f16 factors names only D and C
        types = [types[0], TYPES["f16"], TYPES["f16"], types[1]]
    if len(types) != 4 or instruction.any_of("sp", "sp::ordered_metadata", "block_scale"):
        raise UnsupportedForm(instruction.opcode)
    d, a, b, c = types
    rows, columns, depth = _shape(instruction)
    _require_form(instruction, (a, b), (c, d))
    destination, first, second, addend = instruction.operands[:4]
    for operand, kind, count in (
        (destination, d, rows * columns),
        (first, a, rows * depth),
        (second, b, depth * columns),
        (addend, c, rows * columns),
    ):
        _require_room(instruction, operand, kind, count, code)
    layout = "Scattered" if instruction.name == "wmma" else "Documented"
    operation = {"xor": "BitXor", "and": "BitAnd"}.get(instruction.any_of("xor", "and"), "Product")
    elements = ", ".join(_ELEMENTS[kind.name] for kind in (a, b, c, d))
    results = code.elements(destination)
    word = _word(d)
    writes = " ".join(code.write(target, word, f"d[{index}]") for index, target in enumerate(results))
    finite = "true" if instruction.has("satfinite") else "false"
    return (
        f"{{ const {_word(a).cpp} a[] = {{{_fragment(code, first, a)}}}; "
        f"const {_word(b).cpp} b[] = {{{_fragment(code, second, b)}}}; "
        f"const {_word(c).cpp} c[] = {{{_fragment(code, addend, c)}}}; {word.cpp} d[{len(results)}]; "
        f"MatrixSlot slot{{a, b, c, d}}; wc_warp_combine(T, ~0u, &slot, "
        f"multiply_matrices<{layout}, {rows}, {columns}, {depth}, {operation}, {finite}, {elements}>, "
        f"{code.location}); {writes} }}"
    )


def _wmma(code: Emission, instruction: Instruction) -> str:
    action = instruction.modifiers[0]
    if action == "mma":
        return _multiply(code, instruction)
    if action not in ("load", "store"):
        raise UnsupportedForm(instruction.opcode)
    rows, columns, depth = _shape(instruction)
    which = instruction.modifiers[1]
    height, width = {"a": (rows, depth), "b": (depth, columns)}.get(which, (rows, columns))
    kind = instruction.type
    if kind.name in ("s4", "u4", "b1"):
        raise UnsupportedForm(instruction.opcode)
    known = which in ("a", "b", "c", "d")
    if not known or not any(
        f"m{rows}n{columns}k{depth}" in shapes and kind.name in (factors if which in "ab" else totals)
        for factors, shapes, totals in _FORMS["wmma"]
    ):
        raise UnsupportedForm(instruction.opcode)
    loads = action == "load"
    fragment, address = (0, 1) if loads else (1, 0)
    row_major = instruction.has("row")
    stride = (
        code.read(instruction.operand(2), "u32")
        if len(instruction.operands) > 2
        else f"{width if row_major else height}u"
    )
    space = {"shared": "Space::kShared", "global": "Space::kGlobal", "": "Space::kGeneric"}[instruction.space]
    site = code.unit.site_count
    code.unit.site_count += 1
    elements = code.elements(instruction.operand(fragment))
    _require_room(instruction, instruction.operand(fragment), kind, height * width, code)
    word = _word(kind)
    shape = f"<{space}, {kind.bits // 8}, {height}, {width}, {str(row_major).lower()}>"
    where = f"{code.address(instruction.operand(address))}, {stride}, {code.location}"
    if loads:
        writes = " ".join(code.write(element, word, f"d[{index}]") for index, element in enumerate(elements))
        return (
            f"{{ {word.cpp} d[{len(elements)}] = {{}}; "
            f"load_fragment{shape}(W, {site}, d, sizeof d, {where}); {writes} }}"
        )
    values = ", ".join(code.read(element, word) for element in elements)
    return f"{{ const {word.cpp} d[] = {{{values}}}; store_fragment{shape}(W, {site}, d, {where}); }}"


def _ldmatrix(code: Emission, instruction: Instruction) -> str:
    count = _COUNTS[instruction.any_of(*_COUNTS)]
    if not instruction.has("m8n8") or not instruction.has("b16"):
        raise UnsupportedForm(instruction.opcode)
    stores = instruction.name == "stmatrix"
    transposed = "true" if instruction.has("trans") else "false"
    elements = code.elements(instruction.operand(1 if stores else 0))
    if len(elements) != count:
        raise UnsupportedForm(instruction.opcode)
    address = code.address(instruction.operand(0 if stores else 1))
    if not instruction.space:
        address = f"({address} - W.shared)"
    if stores:
        values = ", ".join(code.read(element, "b32") for element in elements)
        call = f"store_matrices<{count}, {transposed}>(W, {address}, d, {code.location});"
        return f"{{ u32 d[] = {{{values}}}; {call} }}"
    writes = " ".join(code.write(element, "b32", f"d[{index}]") for index, element in enumerate(elements))
    call = f"load_matrices<{count}, {transposed}>(W, {address}, d, {code.location});"
    return f"{{ u32 d[{count}]; {call} {writes} }}"


def _movmatrix(code: Emission, instruction: Instruction) -> str:
    value = code.read(instruction.operand(1), "b32")
    return code.write(instruction.operand(0), "b32", f"transpose_matrix(T, {value}, {code.location})")


_NOTE = "Products are summed in float in the order of k; a GPU's order and internal precision differ."

ENTRIES = (
    InstructionEntry(
        "wmma",
        "9.7.14 wmma.load, wmma.store, wmma.mma",
        "wmma.{load,store,mma}.sync.aligned.…",
        _wmma,
        header="matrix",
        note=_NOTE + " Sub-byte loads are unsupported.",
    ),
    InstructionEntry(
        "mma",
        "9.7.14 mma",
        "mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c",
        _multiply,
        header="matrix",
        note=_NOTE + " Sparse and m8n8k4.f16 forms are unsupported.",
    ),
    InstructionEntry(
        "ldmatrix",
        "9.7.14 ldmatrix",
        "ldmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.shared.b16 r, [p]",
        _ldmatrix,
        header="matrix",
    ),
    InstructionEntry(
        "stmatrix",
        "9.7.14 stmatrix",
        "stmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.shared.b16 [p], r",
        _ldmatrix,
        header="matrix",
    ),
    InstructionEntry(
        "movmatrix",
        "9.7.14 movmatrix",
        "movmatrix.sync.aligned.m8n8.trans.b16 d, a",
        _movmatrix,
        header="matrix",
    ),
)
