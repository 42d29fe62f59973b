"""Loads and stores. Source: PTX ISA 9.0, section 9.7.9 (ld, ld.global.nc, ldu, st)."""

from ..emission import (
    BLOCK_POLLED_READ,
    BLOCK_POLLED_WRITE,
    CACHED_READ,
    POLLED_READ,
    POLLED_WRITE,
    READ,
    RELAXED_READ,
    VOLATILE_READ,
    VOLATILE_WRITE,
    WRITE,
    Emission,
)
from ..syntax import Instruction, Operand
from .entry import InstructionEntry

_ORDERED_LOADS = ("volatile", "acquire", "relaxed", "mmio")
_ORDERED_STORES = ("volatile", "release", "relaxed", "mmio")
_SHADOWED = ("", "global", "shared")  # spaces of which race mode knows what was written


def has_block_scope(instruction: Instruction) -> bool:
    """Return whether the scope of an operation excludes other blocks. A cluster has one block."""
    return bool(instruction.any_of("cta", "cluster"))


def _kind(instruction: Instruction, ordered: tuple[str, ...], kinds: tuple[str, str, str, str]) -> str:
    """Choose among the kinds of an access: plain, polled, volatile, or polled within a block."""
    plain, polled, volatile, within_block = kinds
    if not instruction.any_of(*ordered):
        return plain
    if instruction.has("volatile"):
        return volatile
    return within_block if has_block_scope(instruction) else polled


def release(instruction: Instruction) -> str:
    """A statement for the release that an operation carries, or nothing. Race mode takes it for a fence."""
    if not instruction.any_of("release", "acq_rel", "sc"):
        return ""
    return f"fence(W, {str(has_block_scope(instruction)).lower()}); "


def acquire(instruction: Instruction) -> str:
    """A statement for the acquire that an operation carries, or nothing."""
    if not instruction.any_of("acquire", "acq_rel", "sc") or has_block_scope(instruction):
        return ""
    return " acquire(W);"


def _load(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    elements = code.elements(instruction.operand(0))
    address = instruction.operand(1)
    plain = CACHED_READ if instruction.has("nc") or instruction.space == "const" else READ
    polled = RELAXED_READ if instruction.has("relaxed") else POLLED_READ
    volatile = POLLED_READ if code.looks_again else VOLATILE_READ
    access = _kind(instruction, _ORDERED_LOADS, (plain, polled, volatile, BLOCK_POLLED_READ))
    pointer = code.pointer(address, instruction.space, kind.size_bytes * len(elements), access)
    ordered = access != plain
    function = "load_atomic" if ordered else "load"
    pause = f"poll(T, {code.address(address)}); " if ordered else ""
    if len(elements) == 1:
        text = pause + code.write(elements[0], kind, f"{function}<{kind.cpp}>({pointer})")
    else:
        loads = " ".join(
            code.write(element, kind, f"{function}<{kind.cpp}>(at + {kind.size_bytes * index})")
            for index, element in enumerate(elements)
        )
        text = f"{pause}{{ const u64 at = {pointer}; {loads} }}"
    return text if ordered else _tolerant(code, instruction, elements, text)


def _tolerant(code: Emission, instruction: Instruction, elements: tuple[Operand, ...], text: str) -> str:
    """The statements of a load that may read padding: race mode does not report those bytes.

    Which bytes of copied registers nothing has written is kept for the store.
    """
    size_bytes = instruction.type.size_bytes
    whole = (1 << size_bytes) - 1
    unused = ~instruction.used_bytes & (1 << size_bytes * len(elements)) - 1 if instruction.used_bytes else 0
    masks = {index: mask for index, element in enumerate(elements) if (mask := code.unset(element))}
    allowed = unused
    for index in masks:
        allowed |= whole << size_bytes * index
    if not allowed or instruction.space not in _SHADOWED:
        return text
    kept = " ".join(
        f"{mask} = unset >> {size_bytes * index} & {whole & ~(unused >> size_bytes * index)}u;"
        for index, mask in masks.items()
    )
    return (
        f"allow_unset(W, {allowed}u); {text} {{ [[maybe_unused]] const u32 unset = unset_bytes(W); {kept} }}"
    )


def _store(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    address = instruction.operand(0)
    values = [code.read(element, kind) for element in code.elements(instruction.operand(1))]
    access = _kind(instruction, _ORDERED_STORES, (WRITE, POLLED_WRITE, VOLATILE_WRITE, BLOCK_POLLED_WRITE))
    pointer = code.pointer(address, instruction.space, kind.size_bytes * len(values), access)
    function = "store" if access == WRITE else "store_atomic"
    unset = _unset(code, instruction)
    if len(values) == 1 and not unset:
        text = f"{function}<{kind.cpp}>({pointer}, {values[0]});"
    else:
        stores = " ".join(
            f"{function}<{kind.cpp}>(at + {kind.size_bytes * index}, {value});"
            for index, value in enumerate(values)
        )
        text = f"{{ const u64 at = {pointer}; {stores}{unset} }}"
    return release(instruction) + text


def _unset(code: Emission, instruction: Instruction) -> str:
    """The statement after a store of copied registers: what was unwritten in the source is so in the copy."""
    size_bytes = instruction.type.size_bytes
    masks = [
        f"{mask} << {size_bytes * index}"
        for index, element in enumerate(code.elements(instruction.operand(1)))
        if (mask := code.unset(element))
    ]
    if not masks or instruction.space not in _SHADOWED:
        return ""
    return f" leave_unset(W, at, {' | '.join(masks)});"


ENTRIES = (
    InstructionEntry(
        "ld",
        "9.7.9 ld, ld.global.nc",
        "ld{.weak,.relaxed,.acquire,.volatile}{.scope}{.space}{.nc}{cache hints}{.vec}.type d, [a]",
        _load,
        note="Cache hints are ignored. A relaxed load acquires with a fence or barrier after it.",
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
