"""Float, half, comparison and conversion forms with their models, in exact rational arithmetic.

Source: PTX ISA 9.0, sections 9.7.3 to 9.7.7 and 9.7.9 (cvt).
"""

import math
import struct
from collections.abc import Callable
from fractions import Fraction

from . import model_float as exact
from .forms_integer import signed, wrap
from .harness import Form
from .model_float import F16, F32, FORMATS, Format

_MODES = ("rn", "rz", "rm", "rp")
_SIGNS = {"f16": 0x8000, "bf16": 0x8000, "f32": 1 << 31, "f64": 1 << 63}

Binary = Callable[..., int]


def _flushed(form: Format, function: Binary) -> Binary:
    return lambda *bits: form.flush(function(*(form.flush(value) for value in bits)))


def _arithmetic(kind: str) -> list[Form]:
    form = FORMATS[kind]
    forms = []
    for name, function, count in (
        ("add", exact.add, 2),
        ("sub", exact.subtract, 2),
        ("mul", exact.multiply, 2),
        ("fma", exact.fma, 3),
        ("div", exact.divide, 2),
        ("sqrt", exact.square_root, 1),
    ):
        sources = ", ".join(f"{{{letter}}}" for letter in "abc"[:count])
        for mode in _MODES:

            def model(*bits: int, function: Binary = function, mode: str = mode) -> int:
                return function(form, *bits, mode)

            forms.append(Form(f"{name}.{mode}.{kind} {{d}}, {sources};", (kind,) * count, (kind,), model))
            if kind == "f32":
                forms.append(
                    Form(
                        f"{name}.{mode}.ftz.f32 {{d}}, {sources};",
                        (kind,) * count,
                        (kind,),
                        _flushed(form, model),
                    )
                )
    one = form.bias << form.mantissa_bits
    forms += [
        Form(
            f"rcp.{mode}.{kind} {{d}}, {{a}};",
            (kind,),
            (kind,),
            lambda a, mode=mode: exact.divide(form, one, a, mode),
        )
        for mode in _MODES
    ]
    if kind == "f32":
        forms += [
            Form(
                "add.sat.f32 {d}, {a}, {b};",
                ("f32",) * 2,
                ("f32",),
                lambda a, b: F32.saturate(exact.add(F32, a, b)),
            ),
            Form(
                "mul.sat.f32 {d}, {a}, {b};",
                ("f32",) * 2,
                ("f32",),
                lambda a, b: F32.saturate(exact.multiply(F32, a, b)),
            ),
            Form(
                "mad.rn.f32 {d}, {a}, {b}, {c};",
                ("f32",) * 3,
                ("f32",),
                lambda a, b, c: exact.fma(F32, a, b, c),
            ),
        ]
    return forms


def _sign_forms(kind: str) -> list[Form]:
    sign = _SIGNS[kind]
    return [
        Form(f"abs.{kind} {{d}}, {{a}};", (kind,), (kind,), lambda a: a & ~sign),
        Form(f"neg.{kind} {{d}}, {{a}};", (kind,), (kind,), lambda a: a ^ sign),
    ]


def _copysign(kind: str) -> Form:
    sign = _SIGNS[kind]
    return Form(
        f"copysign.{kind} {{d}}, {{a}}, {{b}};", (kind, kind), (kind,), lambda a, b: a & sign | b & ~sign
    )


def _testp(kind: str) -> list[Form]:
    form = FORMATS[kind]

    def is_small(bits: int) -> bool:
        return form.flush(bits) != bits

    tests: dict[str, Callable[[int], bool]] = {
        "finite": lambda a: isinstance(form.decode(a).magnitude, Fraction),
        "infinite": lambda a: form.decode(a).is_infinite,
        "number": lambda a: not form.decode(a).is_nan,
        "notanumber": lambda a: form.decode(a).is_nan,
        "normal": lambda a: (
            isinstance(form.decode(a).magnitude, Fraction)
            and form.decode(a).magnitude != 0
            and not is_small(a)
        ),
        "subnormal": is_small,
    }
    return [
        Form(f"testp.{name}.{kind} {{d}}, {{a}};", (kind,), ("pred",), lambda a, test=test: int(test(a)))
        for name, test in tests.items()
    ]


def _with_product_sign(form: Format, magnitude: int, a: int, b: int) -> int:
    sign = 1 << form.sign_shift
    return magnitude & ~sign | (a ^ b) & sign


def _extremes(kind: str) -> list[Form]:
    form = FORMATS[kind]
    sign = 1 << form.sign_shift
    forms = []
    for name, function in (("min", exact.minimum), ("max", exact.maximum)):
        forms.append(
            Form(
                f"{name}.{kind} {{d}}, {{a}}, {{b}};",
                (kind,) * 2,
                (kind,),
                lambda a, b, f=function: f(form, a, b),
            )
        )
        if kind == "f64":
            continue
        forms += [
            Form(
                f"{name}.NaN.{kind} {{d}}, {{a}}, {{b}};",
                (kind,) * 2,
                (kind,),
                lambda a, b, f=function: f(form, a, b, nan_wins=True),
            ),
            Form(
                f"{name}.xorsign.abs.{kind} {{d}}, {{a}}, {{b}};",
                (kind,) * 2,
                (kind,),
                lambda a, b, f=function: _with_product_sign(form, f(form, a & ~sign, b & ~sign), a, b),
            ),
        ]
    if kind == "f32":
        forms.append(
            Form(
                "min.f32 {d}, {a}, {b}, {c};",
                ("f32",) * 3,
                ("f32",),
                lambda a, b, c: exact.minimum(F32, exact.minimum(F32, a, b), c),
            )
        )
    return forms


def _close(relative: float, absolute: float = 1e-44) -> Callable[[int, int], bool]:
    def same(got: int, expected: int) -> bool:
        x, y = (struct.unpack("<f", value.to_bytes(4, "little"))[0] for value in (got, expected))
        if math.isnan(x) or math.isnan(y):
            return math.isnan(x) and math.isnan(y)
        return bool(x == y or abs(x - y) <= relative * abs(y) + absolute)

    return same


def _float_bits(value: float) -> int:
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return F32.infinity | (1 << 31 if value < 0 else 0)


def _through(function: Callable[[float], float]) -> Callable[[int], int]:
    """A model by way of Python's floats, for the approximate functions."""

    def model(bits: int) -> int:
        value = struct.unpack("<f", bits.to_bytes(4, "little"))[0]
        try:
            return _float_bits(function(value))
        except (ValueError, ZeroDivisionError):
            if value == 0:
                return (
                    F32.infinity
                    | (1 << 31 if function is not math.log2 and math.copysign(1, value) < 0 else 0)
                    | (1 << 31 if function is math.log2 else 0)
                )
            return F32.nan
        except OverflowError:
            return F32.infinity

    return model


def _reciprocal_root(value: float) -> float:
    return 1 / math.copysign(math.sqrt(value), value)


def _single(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _angle(function: Callable[[float], float]) -> Callable[[float], float]:
    """Return a function of an angle that a GPU first converts to turns, in single precision."""
    turns_per_radian = _single(1 / math.tau)

    def approximate(angle: float) -> float:
        return function(math.tau * _single(angle * turns_per_radian))

    return approximate


_CLOSE = _close(2e-6)
_APPROXIMATE = [
    Form(f"{name}.approx.f32 {{d}}, {{a}};", ("f32",), ("f32",), _through(function), close)
    for name, function, close in (
        ("sin", _angle(math.sin), _CLOSE),
        ("cos", _angle(math.cos), _CLOSE),
        ("lg2", math.log2, _CLOSE),
        ("ex2", lambda value: 2.0**value, _CLOSE),
        ("tanh", math.tanh, _close(2.0**-11, absolute=2.0**-137)),  # also 12 bits of a subnormal number
        ("rsqrt", _reciprocal_root, _CLOSE),
        ("sqrt", math.sqrt, _CLOSE),
        ("rcp", lambda value: 1 / value, _CLOSE),
    )
] + [
    Form("div.full.f32 {d}, {a}, {b};", ("f32", "f32"), ("f32",), lambda a, b: exact.divide(F32, a, b)),
    Form("div.approx.f32 {d}, {a}, {b};", ("f32", "f32"), ("f32",), lambda a, b: exact.divide(F32, a, b)),
]

# --- halves -------------------------------------------------------------------------------------------------


def _lanes(function: Callable[..., int]) -> Callable[..., int]:
    """A scalar model on both halves of registers."""

    def model(*words: int) -> int:
        low, high = (function(*(word >> shift & 0xFFFF for word in words)) for shift in (0, 16))
        return low | high << 16

    return model


def _relu(form: Format, bits: int) -> int:
    return form.nan if form.decode(bits).is_nan else 0 if bits >> form.sign_shift else bits


def _halves(kind: str) -> list[Form]:
    form = FORMATS[kind]
    scalars: list[tuple[str, int, Callable[..., int]]] = [
        ("add", 2, lambda a, b: exact.add(form, a, b)),
        ("sub", 2, lambda a, b: exact.subtract(form, a, b)),
        ("mul", 2, lambda a, b: exact.multiply(form, a, b)),
        ("fma.rn", 3, lambda a, b, c: exact.fma(form, a, b, c)),
        ("fma.rn.relu", 3, lambda a, b, c: _relu(form, exact.fma(form, a, b, c))),
        ("neg", 1, lambda a: a ^ 0x8000),
        ("abs", 1, lambda a: a & 0x7FFF),
    ]
    if kind == "f16":
        scalars += [
            ("add.sat", 2, lambda a, b: form.saturate(exact.add(form, a, b))),
            ("mul.ftz", 2, _flushed(form, lambda a, b: exact.multiply(form, a, b))),
            (
                "fma.rn.ftz.sat",
                3,
                lambda a, b, c: form.saturate(
                    form.flush(exact.fma(form, form.flush(a), form.flush(b), form.flush(c)))
                ),
            ),
        ]
    forms = []
    for name, count, scalar in scalars:
        sources = ", ".join(f"{{{letter}}}" for letter in "abc"[:count])
        for suffix, model in (("", scalar), ("x2", _lanes(scalar))):
            kinds = (f"{kind}{suffix}",)
            forms.append(Form(f"{name}.{kind}{suffix} {{d}}, {sources};", kinds * count, kinds, model))
    for item in _extremes(kind):
        forms.append(item)
        kinds = (f"{kind}x2",)
        text = item.text.replace(f".{kind} ", f".{kind}x2 ")
        forms.append(Form(text, kinds * 2, kinds, _lanes(item.model)))  # type: ignore[arg-type]
    return forms


def _half_function(name: str, kind: str, function: Callable[[float], float]) -> Form:
    """Exact to within rounding: the model is a double, off by less than matters."""
    form = FORMATS[kind]

    def model(bits: int) -> int:
        number = form.decode(bits)
        if number.is_nan:
            return form.nan
        value = math.inf if number.is_infinite else float(abs(number.value))
        try:
            result = function(-value if number.negative else value)
        except OverflowError:
            return form.infinity
        if math.isinf(result):
            return form.infinity
        negative = math.copysign(1, result) < 0
        return form.encode(exact.Number(negative, Fraction(abs(result))))

    return Form(f"{name}.approx.{kind} {{d}}, {{a}};", (kind,), (kind,), model)


def _mixed_forms() -> list[Form]:
    """f32 arithmetic with half-precision factors, which are widened first."""
    forms = []
    for kind in ("f16", "bf16"):
        wide = lambda bits, form=FORMATS[kind]: exact.convert(form, F32, bits)  # noqa: E731  a model in one line
        for name, function in (("add", exact.add), ("sub", exact.subtract)):
            forms += [
                Form(
                    f"{name}.{mode}.f32.{kind} {{d}}, {{a}}, {{b}};",
                    (kind, "f32"),
                    ("f32",),
                    lambda a, b, wide=wide, f=function, mode=mode: f(F32, wide(a), b, mode),
                )
                for mode in ("rn", "rz")
            ]
        forms.append(
            Form(
                f"fma.rn.f32.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
                (kind, kind, "f32"),
                ("f32",),
                lambda a, b, c, wide=wide: exact.fma(F32, wide(a), wide(b), c),
            )
        )
    return forms


# --- comparisons --------------------------------------------------------------------------------------------

_HOLDS = {
    "eq": lambda order: order == 0,
    "ne": lambda order: order != 0,
    "lt": lambda order: order < 0,
    "le": lambda order: order <= 0,
    "gt": lambda order: order > 0,
    "ge": lambda order: order >= 0,
}
_UNSIGNED_NAMES = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def _float_holds(operator: str, order: int | None) -> int:
    if operator in ("num", "nan"):
        return int((order is None) == (operator == "nan"))
    unordered = operator.endswith("u")
    if order is None:
        return int(unordered)
    return int(_HOLDS[operator.removesuffix("u")](order))


def _comparisons() -> list[Form]:
    forms = []
    for kind in ("u16", "s16", "u32", "s32", "u64", "s64", "b32"):
        bits = int(kind[1:])
        names = ("eq", "ne") if kind[0] == "b" else tuple(_HOLDS)
        names += tuple(_UNSIGNED_NAMES) if kind[0] == "u" else ()
        for name in names:

            def model(a: int, b: int, name: str = name, kind: str = kind, bits: int = bits) -> int:
                x, y = (signed(a, bits), signed(b, bits)) if kind[0] == "s" else (a, b)
                return int(_HOLDS[_UNSIGNED_NAMES.get(name, name)]((x > y) - (x < y)))

            forms.append(Form(f"setp.{name}.{kind} {{d}}, {{a}}, {{b}};", (kind, kind), ("pred",), model))
    for kind in ("f32", "f64", "f16", "bf16"):
        form = FORMATS[kind]
        forms += [
            Form(
                f"setp.{name}.{kind} {{d}}, {{a}}, {{b}};",
                (kind, kind),
                ("pred",),
                lambda a, b, name=name, form=form: _float_holds(name, exact.compare(form, a, b)),
            )
            for name in (*_HOLDS, *(f"{name}u" for name in _HOLDS), "num", "nan")
        ]
    return forms


def _combined_forms() -> list[Form]:
    forms = []
    for name, combine in (
        ("and", lambda p, q: p & q),
        ("or", lambda p, q: p | q),
        ("xor", lambda p, q: p ^ q),
    ):
        forms.append(
            Form(
                f"setp.lt.{name}.s32 {{d}}|{{e}}, {{a}}, {{b}}, !{{c}};",
                ("s32", "s32", "pred"),
                ("pred", "pred"),
                lambda a, b, c, combine=combine: (
                    combine(int(signed(a, 32) < signed(b, 32)), 1 - c),
                    combine(int(signed(a, 32) >= signed(b, 32)), 1 - c),
                ),
            )
        )
    less = lambda a, b: int(_float_holds("lt", exact.compare(F16, a, b)))  # noqa: E731  a model in one line
    forms += [
        Form(
            "set.gt.u32.s32 {d}, {a}, {b};",
            ("s32", "s32"),
            ("u32",),
            lambda a, b: wrap(-int(signed(a, 32) > signed(b, 32)), 32),
        ),
        Form(
            "set.le.f32.f32 {d}, {a}, {b};",
            ("f32", "f32"),
            ("f32",),
            lambda a, b: 0x3F800000 * _float_holds("le", exact.compare(F32, a, b)),
        ),
        Form(
            "set.equ.and.s32.f64 {d}, {a}, {b}, {c};",
            ("f64", "f64", "pred"),
            ("s32",),
            lambda a, b, c: wrap(-(_float_holds("equ", exact.compare(FORMATS["f64"], a, b)) & c), 32),
        ),
        Form("set.lt.f16.f16 {d}, {a}, {b};", ("f16", "f16"), ("f16",), lambda a, b: 0x3C00 * less(a, b)),
        Form(
            "set.lt.f16x2.f16x2 {d}, {a}, {b};",
            ("f16x2",) * 2,
            ("f16x2",),
            _lanes(lambda a, b: 0x3C00 * less(a, b)),
        ),
        Form(
            "setp.lt.f16x2 {d}|{e}, {a}, {b};",
            ("f16x2",) * 2,
            ("pred", "pred"),
            lambda a, b: (less(a & 0xFFFF, b & 0xFFFF), less(a >> 16, b >> 16)),
        ),
        Form(
            "setp.lt.ftz.f32 {d}, {a}, {b};",
            ("f32",) * 2,
            ("pred",),
            lambda a, b: _float_holds("lt", exact.compare(F32, F32.flush(a), F32.flush(b))),
        ),
        Form(
            "slct.f32.f32 {d}, {a}, {b}, {c};",
            ("f32",) * 3,
            ("f32",),
            lambda a, b, c: a if _float_holds("ge", exact.compare(F32, c, 0)) else b,
        ),
    ]
    return forms


FORMS: list[Form] = [
    *(form for kind in ("f32", "f64") for form in _arithmetic(kind)),
    *(form for kind in ("f32", "f64") for form in _sign_forms(kind)),
    *(_copysign(kind) for kind in ("f32", "f64")),
    *(form for kind in ("f32", "f64") for form in _testp(kind)),
    *(form for kind in ("f32", "f64") for form in _extremes(kind)),
    *_APPROXIMATE,
    *(form for kind in ("f16", "bf16") for form in _halves(kind)),
    *(_half_function("tanh", kind, math.tanh) for kind in ("f16", "bf16")),
    *(_half_function("ex2", kind, lambda value: 2.0**value) for kind in ("f16", "bf16")),
    *_mixed_forms(),
    *_comparisons(),
    *_combined_forms(),
]
