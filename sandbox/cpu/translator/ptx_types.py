"""PTX's fundamental types and the C++ types that carry them.

Halves travel as their bits (u16, or u32 for a pair): all arithmetic on them is in semantics_half.h.

Source: PTX ISA 9.0, section 5.2 (types).
"""

from typing import NamedTuple


class Type(NamedTuple):
    """A PTX type: its name without the dot, the C++ type that holds it, its size and family."""

    name: str
    cpp: str
    size_bytes: int
    family: str  # pred, bits, unsigned, signed, float, half (one or two 16-bit floats), small (8-bit floats)

    @property
    def bits(self) -> int:
        """The width."""
        return 8 * self.size_bytes


def _types() -> dict[str, Type]:
    table = {"pred": Type("pred", "bool", 1, "pred"), "b1": Type("b1", "u32", 4, "bits")}
    for size_bytes in (1, 2, 4, 8):
        bits = 8 * size_bytes
        table[f"b{bits}"] = Type(f"b{bits}", f"u{bits}", size_bytes, "bits")
        table[f"u{bits}"] = Type(f"u{bits}", f"u{bits}", size_bytes, "unsigned")
        table[f"s{bits}"] = Type(f"s{bits}", f"s{bits}", size_bytes, "signed")
    table["b128"] = Type("b128", "u128", 16, "bits")
    table["f32"] = Type("f32", "float", 4, "float")
    table["f64"] = Type("f64", "double", 8, "float")
    table["tf32"] = Type("tf32", "u32", 4, "bits")
    for name in ("f16", "bf16"):
        table[name] = Type(name, "u16", 2, "half")
        table[f"{name}x2"] = Type(f"{name}x2", "u32", 4, "half")
    for name in ("e4m3x2", "e5m2x2"):
        table[name] = Type(name, "u16", 2, "small")
    for name in ("u16x2", "s16x2"):
        table[name] = Type(name, "u32", 4, "bits")
    for name in ("u4", "s4", "e4m3", "e5m2"):
        table[name] = Type(name, "u8", 1, "small")
    return table


TYPES = _types()
INTEGERS = frozenset(name for name, kind in TYPES.items() if kind.family in ("unsigned", "signed"))
FLOATS = frozenset(("f32", "f64"))
HALVES = frozenset(("f16", "bf16", "f16x2", "bf16x2"))
STATE_SPACES = ("global", "shared", "local", "const", "param")


def unsigned(kind: Type) -> Type:
    """The unsigned integer type of the same width (floats too: the type of their bits)."""
    return TYPES[f"u{kind.bits}"] if kind.bits <= 64 else kind


def signed(kind: Type) -> Type:
    """The signed integer type of the same width."""
    return TYPES[f"s{kind.bits}"]
