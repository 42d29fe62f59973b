"""Integer, carry, logic and movement forms with their models, in plain Python integers.

Source: PTX ISA 9.0, sections 9.7.1, 9.7.2, 9.7.8, 9.7.9.
"""

from collections.abc import Callable

from .harness import Form

_WIDTHS = (16, 32, 64)


def signed(value: int, bits: int) -> int:
    """The number that a pattern stands for in two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def wrap(value: int, bits: int) -> int:
    """The low bits as a pattern."""
    return value & ((1 << bits) - 1)


def clamp_s32(value: int) -> int:
    return wrap(min(max(value, -(1 << 31)), (1 << 31) - 1), 32)


def _number(kind: str) -> Callable[[int], int]:
    bits = int(kind[1:])
    return (lambda value: signed(value, bits)) if kind[0] == "s" else (lambda value: value)


def _binary(name: str, kind: str, function: Callable[[int, int], int], result: str = "") -> Form:
    number, bits = _number(kind), int((result or kind)[1:])
    return Form(
        f"{name}.{kind} {{d}}, {{a}}, {{b}};",
        (kind, kind),
        (result or kind,),
        lambda a, b: wrap(function(number(a), number(b)), bits),
    )


def _truncated_quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a if b == 0 else a - b * _truncated_quotient(a, b)


def _low24(kind: str, value: int) -> int:
    return signed(value, 24) if kind[0] == "s" else value & 0xFFFFFF


def _arithmetic(kind: str) -> list[Form]:
    number, bits = _number(kind), int(kind[1:])
    forms = [
        _binary("add", kind, lambda a, b: a + b),
        _binary("sub", kind, lambda a, b: a - b),
        _binary("mul.lo", kind, lambda a, b: a * b),
        _binary("mul.hi", kind, lambda a, b: a * b >> bits),
        _binary("div", kind, _truncated_quotient),
        _binary("rem", kind, _remainder),
        _binary("min", kind, min),
        _binary("max", kind, max),
        Form(
            f"mad.lo.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
            (kind,) * 3,
            (kind,),
            lambda a, b, c: wrap(a * b + c, bits),
        ),
        Form(
            f"mad.hi.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
            (kind,) * 3,
            (kind,),
            lambda a, b, c: wrap((number(a) * number(b) >> bits) + c, bits),
        ),
        Form(
            f"sad.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
            (kind,) * 3,
            (kind,),
            lambda a, b, c: wrap(c + abs(number(a) - number(b)), bits),
        ),
    ]
    if bits < 64:
        wide = f"{kind[0]}{2 * bits}"
        forms += [
            _binary("mul.wide", kind, lambda a, b: a * b, wide),
            Form(
                f"mad.wide.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
                (kind, kind, wide),
                (wide,),
                lambda a, b, c: wrap(number(a) * number(b) + c, 2 * bits),
            ),
        ]
    if kind[0] == "s":
        forms += [
            Form(f"abs.{kind} {{d}}, {{a}};", (kind,), (kind,), lambda a: wrap(abs(number(a)), bits)),
            Form(f"neg.{kind} {{d}}, {{a}};", (kind,), (kind,), lambda a: wrap(-a, bits)),
        ]
    if bits >= 32:
        forms += _fields(kind)
    return forms


def _leading(value: int, bits: int, kind: str) -> int:
    if kind[0] == "s" and value >> (bits - 1):
        value = ~value & ((1 << bits) - 1)
    return value.bit_length() - 1


def _field(kind: str, a: int, position: int, length: int) -> int:
    """Bit by bit, as the pseudocode in 9.7.1.19 does."""
    bits = int(kind[1:])
    position, length = position & 0xFF, length & 0xFF
    top = a >> min(position + length - 1, bits - 1) & 1 if length else 0
    fill = top if kind[0] == "s" else 0
    result = 0
    for index in range(bits):
        inside = index < length and position + index < bits
        result |= (a >> position + index & 1 if inside else fill) << index
    return result


def _inserted(bits: int, a: int, b: int, position: int, length: int) -> int:
    position, length = position & 0xFF, length & 0xFF
    for index in range(length):
        if position + index < bits:
            b = b & ~(1 << position + index) | (a >> index & 1) << position + index
    return b


def _fields(kind: str) -> list[Form]:
    bits = int(kind[1:])
    return [
        Form(f"bfind.{kind} {{d}}, {{a}};", (kind,), ("u32",), lambda a: wrap(_leading(a, bits, kind), 32)),
        Form(
            f"bfind.shiftamt.{kind} {{d}}, {{a}};",
            (kind,),
            ("u32",),
            lambda a: wrap(-1 if _leading(a, bits, kind) < 0 else bits - 1 - _leading(a, bits, kind), 32),
        ),
        Form(
            f"bfe.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
            (kind, "u32", "u32"),
            (kind,),
            lambda a, b, c: _field(kind, a, b, c),
        ),
    ]


def _counted(bits: int) -> list[Form]:
    kind = f"b{bits}"
    return [
        Form(f"popc.{kind} {{d}}, {{a}};", (kind,), ("u32",), lambda a: a.bit_count()),
        Form(f"clz.{kind} {{d}}, {{a}};", (kind,), ("u32",), lambda a: bits - a.bit_length()),
        Form(f"brev.{kind} {{d}}, {{a}};", (kind,), (kind,), lambda a: int(f"{a:0{bits}b}"[::-1], 2)),
        Form(
            f"bfi.{kind} {{d}}, {{a}}, {{b}}, {{c}}, {{f}};".replace("{f}", "{f}"),
            (kind, kind, "u32", "u32"),
            (kind,),
            lambda a, b, c, f: _inserted(bits, a, b, c, f),
        ),
    ]


def _logic(bits: int) -> list[Form]:
    kind = f"b{bits}"
    return [
        _binary_bits("and", kind, lambda a, b: a & b),
        _binary_bits("or", kind, lambda a, b: a | b),
        _binary_bits("xor", kind, lambda a, b: a ^ b),
        Form(f"not.{kind} {{d}}, {{a}};", (kind,), (kind,), lambda a: wrap(~a, bits)),
        Form(f"cnot.{kind} {{d}}, {{a}};", (kind,), (kind,), lambda a: int(a == 0)),
        Form(
            f"shl.{kind} {{d}}, {{a}}, {{b}};",
            (kind, "u32"),
            (kind,),
            lambda a, b: wrap(a << b, bits) if b < bits else 0,
        ),
        Form(
            f"shr.{kind} {{d}}, {{a}}, {{b}};", (kind, "u32"), (kind,), lambda a, b: a >> b if b < bits else 0
        ),
        Form(
            f"shr.u{bits} {{d}}, {{a}}, {{b}};",
            (kind, "u32"),
            (kind,),
            lambda a, b: a >> b if b < bits else 0,
        ),
        Form(
            f"shr.s{bits} {{d}}, {{a}}, {{b}};",
            (kind, "u32"),
            (kind,),
            lambda a, b: wrap(signed(a, bits) >> min(b, bits), bits),
        ),
    ]


def _binary_bits(name: str, kind: str, function: Callable[[int, int], int]) -> Form:
    return Form(f"{name}.{kind} {{d}}, {{a}}, {{b}};", (kind, kind), (kind,), function)


def _nth_set(mask: int, base: int, offset: int) -> int:
    offset = signed(offset, 32)
    if base > 31:
        return 0xFFFFFFFF
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    positions = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [position for position in positions if mask >> position & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else 0xFFFFFFFF


def _dot(count: int, first: str, second: str, start: int = 0) -> Callable[[int, int, int], int]:
    wide = 32 // count
    a_number, b_number = _number(f"{first}{wide}"), _number(f"{second}8")

    def dot(a: int, b: int, c: int) -> int:
        for index in range(count):
            left = a_number(a >> wide * index & ((1 << wide) - 1))
            c += left * b_number(b >> 8 * (index + start) & 0xFF)
        return wrap(c, 32)

    return dot


def _extended(a: int, width: int, *, is_signed: bool) -> int:
    if width == 0:
        return 0
    low = a & ((1 << width) - 1)
    return wrap(signed(low, width), 32) if is_signed else low


def _mask(position: int, length: int) -> int:
    return wrap(((1 << length) - 1) << position, 32) if position < 32 else 0


def _permuted(a: int, b: int, selector: int) -> int:
    both = (b << 32 | a).to_bytes(8, "little")
    out = bytearray()
    for index in range(4):
        pick = selector >> 4 * index & 15
        byte = both[pick & 7]
        out.append((0xFF if byte & 0x80 else 0) if pick & 8 else byte)
    return int.from_bytes(out, "little")


def _mode_permuted(mode: str) -> Callable[[int, int, int], int]:
    """The tables of 9.7.9 prmt, most significant byte first."""
    table = {
        "f4e": ("3210", "4321", "5432", "6543"),
        "b4e": ("5670", "6701", "7012", "0123"),
        "rc8": ("0000", "1111", "2222", "3333"),
        "ecl": ("3210", "3211", "3222", "3333"),
        "ecr": ("0000", "1110", "2210", "3210"),
        "rc16": ("1010", "3232", "1010", "3232"),
    }[mode]
    return lambda a, b, c: _permuted(a, b, int(table[c & 3], 16))


def _lop3(table: int) -> Callable[[int, int, int], int]:
    def combine(a: int, b: int, c: int) -> int:
        result = 0
        for index in range(32):
            pick = (a >> index & 1) << 2 | (b >> index & 1) << 1 | c >> index & 1
            result |= (table >> pick & 1) << index
        return result

    return combine


def _pairwise(name: str, kind: str, function: Callable[[int, int], int], *, relu: bool = False) -> Form:
    number = _number(f"{kind[0]}16")

    def pair(a: int, b: int) -> int:
        halves = [function(number(a >> shift & 0xFFFF), number(b >> shift & 0xFFFF)) for shift in (0, 16)]
        if relu:
            halves = [max(half, 0) for half in halves]
        return wrap(halves[0], 16) | wrap(halves[1], 16) << 16

    modifier = ".relu" if relu else ""
    return Form(f"{name}{modifier}.{kind} {{d}}, {{a}}, {{b}};", (kind, kind), (kind,), pair)


_FUNNEL = (("wrap", lambda count: count & 31), ("clamp", lambda count: min(count, 32)))

_SINGLE_FORMS = [
    Form(
        "add.sat.s32 {d}, {a}, {b};",
        ("s32", "s32"),
        ("s32",),
        lambda a, b: clamp_s32(signed(a, 32) + signed(b, 32)),
    ),
    Form(
        "sub.sat.s32 {d}, {a}, {b};",
        ("s32", "s32"),
        ("s32",),
        lambda a, b: clamp_s32(signed(a, 32) - signed(b, 32)),
    ),
    Form(
        "mad.hi.sat.s32 {d}, {a}, {b}, {c};",
        ("s32",) * 3,
        ("s32",),
        lambda a, b, c: clamp_s32((signed(a, 32) * signed(b, 32) >> 32) + signed(c, 32)),
    ),
    Form("fns.b32 {d}, {a}, {b}, {c};", ("b32", "b32", "s32"), ("b32",), _nth_set),
    *(
        Form(
            f"{name}24.{half}.{kind} {{d}}, {{a}}, {{b}}{', {c}' if name == 'mad' else ''};",
            (kind,) * (3 if name == "mad" else 2),
            (kind,),
            lambda a, b, c=0, half=half, kind=kind: wrap(
                (_low24(kind, a) * _low24(kind, b) >> (16 if half == "hi" else 0)) + c, 32
            ),
        )
        for name in ("mul", "mad")
        for half in ("lo", "hi")
        for kind in ("u32", "s32")
    ),
    *(
        Form(
            f"dp4a.{first}32.{second}32 {{d}}, {{a}}, {{b}}, {{c}};",
            ("b32", "b32", "b32"),
            ("b32",),
            _dot(4, first, second),
        )
        for first in "us"
        for second in "us"
    ),
    *(
        Form(
            f"dp2a.{half}.{first}32.{second}32 {{d}}, {{a}}, {{b}}, {{c}};",
            ("b32", "b32", "b32"),
            ("b32",),
            _dot(2, first, second, start),
        )
        for half, start in (("lo", 0), ("hi", 2))
        for first in "us"
        for second in "us"
    ),
    *(
        Form(
            f"szext.{mode}.{kind} {{d}}, {{a}}, {{b}};",
            (kind, "u32"),
            (kind,),
            lambda a, b, limit=limit, kind=kind: _extended(a, limit(b), is_signed=kind[0] == "s"),
        )
        for mode, limit in _FUNNEL
        for kind in ("u32", "s32")
    ),
    Form("bmsk.clamp.b32 {d}, {a}, {b};", ("u32", "u32"), ("b32",), lambda a, b: _mask(a, min(b, 32))),
    Form("bmsk.wrap.b32 {d}, {a}, {b};", ("u32", "u32"), ("b32",), lambda a, b: _mask(a & 31, b & 31)),
    *(
        Form(
            f"shf.l.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};",
            ("b32", "b32", "u32"),
            ("b32",),
            lambda a, b, c, limit=limit: wrap((b << 32 | a) << limit(c) >> 32, 32),
        )
        for mode, limit in _FUNNEL
    ),
    *(
        Form(
            f"shf.r.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};",
            ("b32", "b32", "u32"),
            ("b32",),
            lambda a, b, c, limit=limit: wrap((b << 32 | a) >> limit(c), 32),
        )
        for mode, limit in _FUNNEL
    ),
    *(
        Form(f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};", ("b32",) * 3, ("b32",), _lop3(table))
        for table in (0, 0x1E, 0x80, 0x96, 0xC0, 0xD8, 0xE8, 0xFF)
    ),
    Form(
        "lop3.or.b32 {d}|{e}, {a}, {b}, {c}, 0x96, {f};",
        ("b32", "b32", "b32", "pred"),
        ("b32", "pred"),
        lambda a, b, c, f: (a ^ b ^ c, int((a ^ b ^ c) != 0 or f != 0)),
    ),
    Form("prmt.b32 {d}, {a}, {b}, {c};", ("b32",) * 3, ("b32",), _permuted),
    *(
        Form(f"prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}};", ("b32",) * 3, ("b32",), _mode_permuted(mode))
        for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
    ),
    *(
        Form(f"{name}.pred {{d}}, {{a}}, {{b}};", ("pred", "pred"), ("pred",), model)
        for name, model in (
            ("and", lambda a, b: a & b),
            ("or", lambda a, b: a | b),
            ("xor", lambda a, b: a ^ b),
        )
    ),
    Form("not.pred {d}, {a};", ("pred",), ("pred",), lambda a: 1 - a),
    *(_pairwise("add", kind, lambda a, b: a + b) for kind in ("u16x2", "s16x2")),
    *(_pairwise("min", kind, min) for kind in ("u16x2", "s16x2")),
    *(_pairwise("max", kind, max) for kind in ("u16x2", "s16x2")),
    _pairwise("max", "s16x2", max, relu=True),
]


def _double(high: int, low: int, bits: int) -> int:
    return high << bits | low


def _carry_forms(bits: int) -> list[Form]:
    """Chains over two words, compared with arithmetic on numbers of twice the width."""
    kind = f"u{bits}"

    def split(value: int) -> tuple[int, int]:
        return wrap(value, bits), wrap(value >> bits, bits)

    return [
        Form(
            f"add.cc.{kind} {{d}}, {{a}}, {{b}}; addc.{kind} {{e}}, {{c}}, {{f}};",
            (kind,) * 4,
            (kind, kind),
            lambda a, b, c, f: split(_double(c, a, bits) + _double(f, b, bits)),
        ),
        Form(
            f"sub.cc.{kind} {{d}}, {{a}}, {{b}}; subc.{kind} {{e}}, {{c}}, {{f}};",
            (kind,) * 4,
            (kind, kind),
            lambda a, b, c, f: split(_double(c, a, bits) - _double(f, b, bits)),
        ),
        Form(
            f"mad.lo.cc.{kind} {{d}}, {{a}}, {{b}}, {{c}}; madc.hi.{kind} {{e}}, {{a}}, {{b}}, {{f}};",
            (kind,) * 4,
            (kind, kind),
            lambda a, b, c, f: split(a * b + _double(f, c, bits)),
        ),
        Form(
            f"add.cc.{kind} {{d}}, {{a}}, {{b}}; addc.cc.{kind} {{e}}, {{c}}, {{c}};"
            f" addc.{kind} {{x}}, 0, 0;",
            (kind,) * 3,
            (kind,) * 3,
            lambda a, b, c: (wrap(a + b, bits), *split(2 * c + (a + b >> bits))),
        ),
    ]


_MOVES = [
    Form("mov.b32 {d}, {a};", ("b32",), ("b32",), lambda a: a),
    Form("mov.b32 {d}, {{{a}, {b}}};", ("b16", "b16"), ("b32",), lambda a, b: a | b << 16),
    Form("mov.b64 {d}, {{{a}, {b}}};", ("b32", "f32"), ("b64",), lambda a, b: a | b << 32),
    Form("mov.b64 {{{d}, {e}}}, {a};", ("b64",), ("b32", "f32"), lambda a: (wrap(a, 32), a >> 32)),
    Form("mov.b32 {{_, {d}}}, {a};", ("b32",), ("b16",), lambda a: a >> 16),
    Form("mov.u32 {d}, WARP_SZ;", (), ("u32",), lambda: 32),
    Form("mov.b32 {d}, 0fBF800000;", (), ("b32",), lambda: 0xBF800000),
    Form("mov.f32 {d}, 0fBF800000;", (), ("f32",), lambda: 0xBF800000),
    Form("mov.s64 {d}, -1;", (), ("s64",), lambda: (1 << 64) - 1),
    Form("mapa.u64 {d}, {a}, 0;", ("u64",), ("u64",), lambda a: a),
    Form("getctarank.u64 {d}, {a};", ("u64",), ("u32",), lambda a: 0),
    Form("createpolicy.fractional.L2::evict_last.b64 {d}, 0f3F800000;", (), ("b64",), lambda: 0),
    Form("prefetch.global.L2 [%in]; mov.u32 {d}, 7;", (), ("u32",), lambda: 7),
    Form("cvta.shared.u64 {d}, {a}; cvta.to.shared.u64 {d}, {d};", ("u64",), ("u64",), lambda a: a),
    Form(
        "cvta.shared.u64 {d}, 16; isspacep.shared {e}, {d}; isspacep.global {x}, {d};",
        (),
        ("u64", "pred", "pred"),
        lambda: (None, 1, 0),
    ),
    Form("selp.b32 {d}, {a}, {b}, {c};", ("b32", "b32", "pred"), ("b32",), lambda a, b, c: a if c else b),
    Form("selp.f64 {d}, {a}, {b}, {c};", ("f64", "f64", "pred"), ("f64",), lambda a, b, c: a if c else b),
    Form(
        "slct.u64.s32 {d}, {a}, {b}, {c};",
        ("u64", "u64", "s32"),
        ("u64",),
        lambda a, b, c: b if c >> 31 else a,
    ),
]

FORMS: list[Form] = [
    *(form for letter in "us" for bits in _WIDTHS for form in _arithmetic(f"{letter}{bits}")),
    *(form for bits in (32, 64) for form in _counted(bits)),
    *(form for bits in _WIDTHS for form in _logic(bits)),
    *(form for bits in (32, 64) for form in _carry_forms(bits)),
    *_SINGLE_FORMS,
    *_MOVES,
]
