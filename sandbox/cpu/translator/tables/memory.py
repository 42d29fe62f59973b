"""Loads and stores. Source: PTX ISA 9.0, section 9.7.9 (ld, ld.global.nc, ldu, st)."""

from ..emission import POLLED_READ, POLLED_WRITE, READ, WRITE, Emission
from ..syntax import Instruction, Operand
from .entry import InstructionEntry

_ORDERED_LOADS = ("volatile", "acquire", "relaxed", "mmio")
_ORDERED_STORES = ("volatile", "release", "relaxed", "mmio")


def _pause(code: Emission, instruction: Instruction, address: Operand) -> str:
    """Return the code that a polling thread runs before its next access."""
    space = instruction.space
    if not instruction.has("volatile"):
        return "spin(T);"
    if space == "shared":
        return "wc_yield(T);"
    return f"lockstep(W, {code.address(address)});" if not space else "spin(T);"


def release(instruction: Instruction) -> str:
    """A statement for the release that an operation carries, or nothing. Race mode takes it for a fence."""
    if not instruction.any_of("release", "acq_rel", "sc"):
        return ""
    return f"fence(W, {'true' if instruction.has('cta') else 'false'}); "


def _load(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    elements = code.elements(instruction.operand(0))
    address = instruction.operand(1)
    ordered = instruction.any_of(*_ORDERED_LOADS)
    access = POLLED_READ if ordered else READ
    pointer = code.pointer(address, instruction.space, kind.size_bytes * len(elements), access)
    function = "load_atomic" if ordered else "load"
    pause = f"{_pause(code, instruction, address)} " if ordered else ""
    if len(elements) == 1:
        return pause + code.write(elements[0], kind, f"{function}<{kind.cpp}>({pointer})")
    loads = " ".join(
        code.write(element, kind, f"{function}<{kind.cpp}>(at + {kind.size_bytes * index})")
        for index, element in enumerate(elements)
    )
    return f"{pause}{{ const u64 at = {pointer}; {loads} }}"


def _store(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    address = instruction.operand(0)
    values = [code.read(element, kind) for element in code.elements(instruction.operand(1))]
    ordered = instruction.any_of(*_ORDERED_STORES)
    access = POLLED_WRITE if ordered else WRITE
    pointer = code.pointer(address, instruction.space, kind.size_bytes * len(values), access)
    function = "store_atomic" if ordered else "store"
    if len(values) == 1:
        text = f"{function}<{kind.cpp}>({pointer}, {values[0]});"
    else:
        stores = " ".join(
            f"{function}<{kind.cpp}>(at + {kind.size_bytes * index}, {value});"
            for index, value in enumerate(values)
        )
        text = f"{{ const u64 at = {pointer}; {stores} }}"
    if instruction.has("volatile") and instruction.space in ("shared", ""):
        pause = _pause(code, instruction, address)
        return f"{pause} {text} {pause}"
    return release(instruction) + text


ENTRIES = (
    InstructionEntry(
        "ld",
        "9.7.9 ld, ld.global.nc",
        "ld{.weak,.relaxed,.acquire,.volatile}{.scope}{.space}{.nc}{cache hints}{.vec}.type d, [a]",
        _load,
        note="Cache hints are ignored. A relaxed load is an acquire.",
    ),
    InstructionEntry("ldu", "9.7.9 ldu", "ldu{.space}{.vec}.type d, [a]", _load),
    InstructionEntry(
        "st",
        "9.7.9 st",
        "st{.weak,.relaxed,.release,.volatile}{.scope}{.space}{cache hints}{.vec}.type [a], b",
        _store,
        note="Cache hints are ignored. A relaxed store is a release.",
    ),
)
