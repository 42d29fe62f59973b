"""Variables of a module as C++ definitions."""

import math
import struct
from typing import NamedTuple

from .declarations import PAGE_BYTES
from .emission import literal
from .ptx_types import TYPES
from .symbols import FunctionSymbol, Symbol, VariableSymbol
from .syntax import Value, Variable

_CHUNK_BYTES = 4096  # per string literal
_GUARD_BYTES = 1024  # after each variable: kVariableGuardBytes of runtime/abi.h


class Definition(NamedTuple):
    """A C++ definition, and the statements that fill in values known only at load time."""

    text: str
    statements: tuple[str, ...]


def define(variable: Variable, cpp: str, module: dict[str, Symbol]) -> Definition:
    """Define aligned storage for a variable and its guard. The constant bytes are part of the definition."""
    alignment_bytes = max(variable.alignment_bytes, 16)
    size_bytes = variable.size_bytes + _GUARD_BYTES
    if alignment_bytes >= PAGE_BYTES:
        size_bytes = math.ceil(size_bytes / alignment_bytes) * alignment_bytes  # nothing else in its pages
    image = bytearray()
    statements: list[str] = []
    for index, value in enumerate(variable.values):
        offset = index * variable.type.size_bytes
        if value.symbol:
            statements.append(_store_address(variable, cpp, offset, value, module))
        image += _constant_bytes(value, variable)
    image = image.rstrip(b"\0")
    head = f"alignas({alignment_bytes}) static u8 {cpp}"
    if not image:
        return Definition(f"{head}[{size_bytes}];", tuple(statements))
    return Definition(f"{head}[{size_bytes}] =\n{_literal(bytes(image))};", tuple(statements))


def _constant_bytes(value: Value, variable: Variable) -> bytes:
    number, kind = value.number, variable.type
    if value.symbol:
        return bytes(kind.size_bytes)
    if number.width == 64 and kind.name == "f32":
        return _nearest_float(struct.unpack("<d", number.value.to_bytes(8, "little"))[0])
    return (number.value & ((1 << kind.bits) - 1)).to_bytes(kind.size_bytes, "little")


def _nearest_float(number: float) -> bytes:
    try:
        return struct.pack("<f", number)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, number))


def _store_address(variable: Variable, cpp: str, offset: int, value: Value, module: dict[str, Symbol]) -> str:
    symbol = module.get(value.symbol)
    if isinstance(symbol, FunctionSymbol):
        address = f"u64(&{symbol.cpp})"
    elif isinstance(symbol, VariableSymbol):
        address = symbol.address
    else:
        address = "0ull"
    address = f"({address} + {literal(value.number, TYPES['u64'])})"
    if value.mask_shift >= 0:
        address = f"({address} >> {value.mask_shift})"
    return f"store<{variable.type.cpp}>(u64({cpp} + {offset}), {variable.type.cpp}({address}));"


def _literal(image: bytes) -> str:
    chunks = (image[start : start + _CHUNK_BYTES] for start in range(0, len(image), _CHUNK_BYTES))
    return "\n".join('"' + "".join(f"\\{byte:03o}" for byte in chunk) + '"' for chunk in chunks)
