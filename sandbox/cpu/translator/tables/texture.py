"""Texture and surface objects. Source: PTX ISA 9.0, sections 9.7.10 and 9.7.11."""

from ..emission import READ, WRITE, Emission
from ..errors import UnsupportedForm
from ..syntax import Address, Instruction, Name
from .entry import InstructionEntry

_DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3}


def _object(code: Emission, instruction: Instruction, index: int) -> tuple[str, int, Address]:
    address = instruction.operand(index)
    dimensions = _DIMENSIONS.get(instruction.any_of(*_DIMENSIONS), 0)
    if not dimensions or not isinstance(address, Address) or not isinstance(address.base, Name):
        raise UnsupportedForm(instruction.opcode)
    return code.read(address.base, "u64"), dimensions, address


def _tex(code: Emission, instruction: Instruction) -> str:
    if instruction.has("grad"):
        raise UnsupportedForm(instruction.opcode)
    handle, dimensions, address = _object(code, instruction, 1)
    kind = instruction.type
    coordinates = ", ".join(
        converted
        for converted in (
            f"bits<u32>({code.read(coordinate, kind)})" for coordinate in address.coordinates[:dimensions]
        )
    )
    result = instruction.types[0]
    writes = " ".join(
        code.write(element, result, f"bits<{result.cpp}>(texel[{index}])")
        for index, element in enumerate(code.elements(instruction.operand(0)))
    )
    integer = "true" if kind.name == "s32" else "false"
    return (
        f"{{ const u32 coordinates[] = {{{coordinates}}}; u32 texel[4]; "
        f"wc_texture(T, {handle}, {dimensions}, {integer}, coordinates, texel, {code.location}); {writes} }}"
    )


def _surface(code: Emission, instruction: Instruction) -> str:
    if not instruction.has("b"):
        raise UnsupportedForm(instruction.opcode)
    loads = instruction.name == "suld"
    handle, dimensions, address = _object(code, instruction, 1 if loads else 0)
    coordinates = ", ".join(code.read(item, "u32") for item in address.coordinates[:dimensions])
    kind = instruction.type
    elements = code.elements(instruction.operand(0 if loads else 1))
    values = "" if loads else ", ".join(code.read(element, kind) for element in elements)
    writes = (
        " ".join(code.write(element, kind, f"data[{index}]") for index, element in enumerate(elements))
        if loads
        else ""
    )
    access = READ if loads else WRITE
    return (
        f"{{ const u32 coordinates[] = {{{coordinates}}}; {kind.cpp} data[{len(elements)}] = {{{values}}}; "
        f"wc_surface(T, {handle}, {dimensions}, coordinates, {kind.size_bytes * len(elements)}, data, "
        f"Access::{access}, {code.location}); {writes} }}"
    )


ENTRIES = (
    InstructionEntry(
        "tex",
        "9.7.10 tex",
        "tex{.level}.{1d,2d,3d}.v4.dtype.ctype d, [a, c]{, lod}",
        _tex,
        note="The level of detail is ignored; layered and cube textures are unsupported.",
    ),
    InstructionEntry("suld", "9.7.11 suld", "suld.b.{1d,2d,3d}{.vec}.type{.clamp} d, [a, b]", _surface),
    InstructionEntry("sust", "9.7.11 sust", "sust.b.{1d,2d,3d}{.vec}.type{.clamp} [a, b], c", _surface),
)
