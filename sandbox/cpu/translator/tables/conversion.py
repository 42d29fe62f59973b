"""Conversions between all types. Source: PTX ISA 9.0, section 9.7.9 (cvt, cvt.pack)."""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..ptx_types import TYPES, Type
from ..syntax import Instruction
from .entry import InstructionEntry
from .half import half_format

_TO_INTEGRAL = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_HALF_ROUNDING = {"rn": "nearest", "rz": "zero", "rm": "down", "rp": "up", "rna": "away"}
_PACKED_HALVES = frozenset(("f16x2", "bf16x2"))
_SMALL = frozenset(("e4m3x2", "e5m2x2"))


def _cvt(code: Emission, instruction: Instruction) -> str:
    types = instruction.types
    if len(types) != 2:
        raise UnsupportedForm(instruction.opcode)
    to, source = types
    if to.name in _PACKED_HALVES and source.name == "f32":
        return _pack_halves(code, instruction, to)
    if to.name in _SMALL or source.name in _SMALL:
        return _small(code, instruction, to, source)
    value = code.read(instruction.operand(1), source)
    if to.name == "tf32":
        return _to_tf32(code, instruction, value)
    if source.family == "half":
        code.uses("half")
        value = f"{half_format(source.name)}::decode({value})"
        source = TYPES["f32"]
    if source.family == "float":
        return _from_float(code, instruction, to, source, value)
    return _from_integer(code, instruction, to, source, value)


def _from_float(code: Emission, instruction: Instruction, to: Type, source: Type, value: str) -> str:
    suffix = "f" if source.name == "f32" else ""
    if instruction.has("ftz") and source.name == "f32":
        value = f"flush({value})"
    integral = instruction.any_of(*_TO_INTEGRAL)
    if integral:
        value = f"__builtin_{_TO_INTEGRAL[integral]}{suffix}({value})"
    if to.family not in ("float", "half"):
        return code.write(instruction.operand(0), to, f"to_integer<{to.cpp}>({value})")
    if instruction.has("sat"):
        value = f"saturate({value})"
    if to.family == "half":
        return code.write(instruction.operand(0), to, _encoded(code, instruction, to, value))
    if to.size_bytes < source.size_bytes:
        value = _narrowed(code, instruction, to, value)
    elif to.size_bytes > source.size_bytes:
        value = f"{to.cpp}({value})"
    if instruction.has("ftz") and to.name == "f32":
        value = f"flush({value})"
    return code.write(instruction.operand(0), to, value)


def _from_integer(code: Emission, instruction: Instruction, to: Type, source: Type, value: str) -> str:
    if to.family == "float":
        value = _narrowed(code, instruction, to, value)
        value = f"saturate({value})" if instruction.has("sat") else value
    elif to.family == "half":
        value = f"sticky_double<{source.cpp}>({value})"
        value = f"saturate({value})" if instruction.has("sat") else value
        value = _encoded(code, instruction, to, value)
    elif instruction.has("sat"):
        value = f"saturate_integer<{to.cpp}, {source.cpp}>({value})"
    else:
        value = f"{to.cpp}({value})"
    return code.write(instruction.operand(0), to, value)


def _narrowed(code: Emission, instruction: Instruction, to: Type, value: str) -> str:
    mode = instruction.any_of("rz", "rm", "rp")
    if not mode:
        return f"{to.cpp}({value})"
    code.uses("rounding")
    return f"rounded<Convert<{to.cpp}>>(Rounding::{mode}, {value})"


def _encoded(code: Emission, instruction: Instruction, to: Type, value: str) -> str:
    """A float as a half, with the instruction's rounding, .relu, .satfinite."""
    code.uses("half")
    shape = half_format(to.name)
    mode = _HALF_ROUNDING[instruction.any_of(*_HALF_ROUNDING) or "rn"]
    arguments = f"{value}, HalfRounding::{mode}"
    if shape == "F16" and not instruction.has("satfinite"):
        encoded = f"encode_half<{shape}>(T, {arguments}, {code.location})"
    else:
        encoded = f"encode_half<{shape}>({arguments})"
    if instruction.has("satfinite"):
        encoded = f"finite_half<{shape}>({encoded})"
    return f"relu_half<{shape}>({encoded})" if instruction.has("relu") else encoded


def _pack_halves(code: Emission, instruction: Instruction, to: Type) -> str:
    """The first source goes to the upper half."""
    high, low = (
        _encoded(code, instruction, to, code.read(operand, "f32")) for operand in instruction.operands[1:3]
    )
    return code.write(instruction.operand(0), "b32", f"u32({high}) << 16 | {low}")


def _to_tf32(code: Emission, instruction: Instruction, value: str) -> str:
    code.uses("small")
    rounding = "true" if instruction.has("rna") else "false"
    relu = "true" if instruction.has("relu") else "false"
    return code.write(instruction.operand(0), "b32", f"to_tf32<{rounding}, {relu}>({value})")


def _small(code: Emission, instruction: Instruction, to: Type, source: Type) -> str:
    """8-bit floats come in pairs; the first source goes to the upper byte."""
    code.uses("small")
    relu = "true" if instruction.has("relu") else "false"
    if source.name in _SMALL:
        shape = source.name[:4].upper()
        value = code.read(instruction.operand(1), "b16")
        return code.write(instruction.operand(0), "b32", f"decode_pair<{shape}, {relu}>({value})")
    shape = to.name[:4].upper()
    if source.name == "f32":
        high, low = (code.read(operand, "f32") for operand in instruction.operands[1:3])
        value = f"encode_pair<{shape}, {relu}>({high}, {low})"
    elif source.name == "f16x2":
        value = f"encode_pair<{shape}, {relu}>({code.read(instruction.operand(1), 'b32')})"
    else:
        raise UnsupportedForm(instruction.opcode)
    return code.write(instruction.operand(0), "b16", value)


def _pack(code: Emission, instruction: Instruction) -> str:
    """Saturates two 32-bit integers and packs them in front of the upper part of c."""
    types = instruction.types
    to, source = types[0], types[1]
    a, b = (code.read(operand, source) for operand in instruction.operands[1:3])
    first, second = (
        f"u32({_unsigned(to, f'saturate_integer<{to.cpp}, {source.cpp}>({value})')})" for value in (a, b)
    )
    value = f"{first} << {to.bits} | {second}"
    if len(instruction.operands) > 3:
        value = f"{code.read(instruction.operand(3), 'u32')} << {2 * to.bits} | {value}"
    return code.write(instruction.operand(0), "b32", value)


def _unsigned(kind: Type, value: str) -> str:
    return f"u{kind.bits}({value})"


ENTRIES = (
    InstructionEntry(
        "cvt",
        "9.7.9 cvt.pack",
        "cvt.pack.sat.convertType.abType{.cType} d, a, b{, c}",
        _pack,
        needs=frozenset(("pack",)),
    ),
    InstructionEntry(
        "cvt", "9.7.9 cvt", "cvt{.rnd}{.ftz}{.sat,.satfinite}{.relu}.dtype.atype d, a{, b}", _cvt
    ),
)
