"""Conversion forms with their models. Source: PTX ISA 9.0, section 9.7.9 (cvt, cvt.pack)."""

from collections.abc import Callable
from fractions import Fraction

from . import model_float as exact
from .forms_integer import signed, wrap
from .harness import Form
from .model_float import BF16, F16, F32, FORMATS, Format, Number

_INTEGERS = [f"{letter}{bits}" for letter in "us" for bits in (8, 16, 32, 64)]
_INTEGRAL = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def _value(kind: str, bits: int) -> int:
    return signed(bits, int(kind[1:])) if kind[0] == "s" else bits


def _range(kind: str) -> tuple[int, int]:
    bits = int(kind[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)


def _container(kind: str) -> str:
    """8-bit values travel in 16-bit registers, extended as their type says."""
    return f"{kind[0]}16" if kind[1:] == "8" else kind


def _integer_forms() -> list[Form]:
    forms = []
    for to in _INTEGERS:
        for source in _INTEGERS:
            if to == source:
                continue
            bits = int(_container(to)[1:])

            def plain(a: int, to: str = to, source: str = source, bits: int = bits) -> int:
                value = wrap(_value(source, wrap(a, int(source[1:]))), int(to[1:]))
                return wrap(_value(to, value), bits)

            def clamped(a: int, to: str = to, source: str = source, bits: int = bits) -> int:
                least, largest = _range(to)
                return wrap(min(max(_value(source, wrap(a, int(source[1:]))), least), largest), bits)

            sources, results = (_container(source),), (_container(to),)
            forms.append(Form(f"cvt.{to}.{source} {{d}}, {{a}};", sources, results, plain))
            forms.append(Form(f"cvt.sat.{to}.{source} {{d}}, {{a}};", sources, results, clamped))
    return forms


def _mixed_forms() -> list[Form]:
    forms = []
    for kind, form in FORMATS.items():
        for integer in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
            bits, container = int(integer[1:]), int(_container(integer)[1:])
            for name, mode in _INTEGRAL.items():

                def down(
                    a: int,
                    form: Format = form,
                    integer: str = integer,
                    bits: int = bits,
                    mode: str = mode,
                    container: int = container,
                ) -> int:
                    pattern = exact.to_integer(form, a, bits, mode, signed=integer[0] == "s")
                    return wrap(_value(integer, pattern), container)

                forms.append(
                    Form(f"cvt.{name}.{integer}.{kind} {{d}}, {{a}};", (kind,), (_container(integer),), down)
                )
            modes = ("rn", "rz", "rm", "rp") if kind in ("f32", "f64") else ("rn", "rz")
            for mode in modes:

                def up(
                    a: int, form: Format = form, integer: str = integer, bits: int = bits, mode: str = mode
                ) -> int:
                    return exact.from_integer(form, _value(integer, wrap(a, bits)), mode)

                forms.append(
                    Form(f"cvt.{mode}.{kind}.{integer} {{d}}, {{a}};", (_container(integer),), (kind,), up)
                )
    return forms


def _float_forms() -> list[Form]:
    forms = []
    for source, source_form in FORMATS.items():
        for to, to_form in FORMATS.items():
            if {source, to} == {"f16", "bf16"} or source == to:
                continue
            narrowing = to_form.mantissa_bits < source_form.mantissa_bits
            for mode in ("rn", "rz", "rm", "rp") if narrowing else ("",):

                def model(a: int, x: Format = source_form, y: Format = to_form, mode: str = mode) -> int:
                    return exact.convert(x, y, a, mode or "rn")

                dotted = f".{mode}" if mode else ""
                forms.append(Form(f"cvt{dotted}.{to}.{source} {{d}}, {{a}};", (source,), (to,), model))
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        for name, mode in _INTEGRAL.items():

            def integral(a: int, form: Format = form, mode: str = mode) -> int:
                number = form.decode(a)
                if number.is_nan or number.is_infinite:
                    return a
                whole = exact._rounded(abs(number.value), mode, negative=number.negative)
                return form.encode(Number(number.negative, Fraction(whole)))

            forms.append(Form(f"cvt.{name}.{kind}.{kind} {{d}}, {{a}};", (kind,), (kind,), integral))
    return forms


def _tf32(a: int, mode: str) -> int:
    reduced = Format(10, 8)
    number = F32.decode(a)
    if number.is_nan:
        return 0x7FFFFFFF
    return reduced.encode(number, mode) << 13


def _relu(form: Format, bits: int) -> int:
    return form.nan if form.decode(bits).is_nan else 0 if bits >> form.sign_shift else bits


_E4M3, _E5M2 = Format(3, 4), Format(2, 5)


def _eighth(form: Format, a: int, source: Format = F32) -> int:
    """E4M3 has no infinity: its top exponent is ordinary but for all ones. Everything saturates."""
    number = source.decode(a)
    if number.is_nan:
        return 0x7F
    sign = 0x80 if number.negative else 0
    largest = 0x7E if form is _E4M3 else 0x7B
    if number.is_infinite:
        return sign | largest
    wide = Format(form.mantissa_bits, form.exponent_bits + 1)  # the same grid, with room above
    offset = (wide.bias - form.bias) << form.mantissa_bits
    quantum = Fraction(2) ** (1 - form.bias - form.mantissa_bits)
    if abs(number.value) < quantum * (1 << form.mantissa_bits):
        return sign | exact._rounded(abs(number.value) / quantum, "rn", negative=False)
    body = wide.encode(Number(negative=False, magnitude=abs(number.value))) - offset
    return sign | min(body, largest)


def _widened(form: Format, a: int) -> int:
    if form is _E4M3:
        if a & 0x7F == 0x7F:
            return F16.nan
        number = Format(3, 5).decode(0)  # a zero, to be replaced
        exponent, mantissa = divmod(a & 0x7F, 8)
        magnitude = Fraction(mantissa + (8 if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - 7 - 3)
        number = Number(bool(a & 0x80), magnitude)
    else:
        number = form.decode(a)
    return F16.encode(number)


def _small_forms() -> list[Form]:
    forms = []
    for name, form in (("e4m3x2", _E4M3), ("e5m2x2", _E5M2)):
        forms += [
            Form(
                f"cvt.rn.satfinite.{name}.f32 {{d}}, {{a}}, {{b}};",
                ("f32", "f32"),
                ("b16",),
                lambda a, b, form=form: _eighth(form, a) << 8 | _eighth(form, b),
            ),
            Form(
                f"cvt.rn.satfinite.{name}.f16x2 {{d}}, {{a}};",
                ("f16x2",),
                ("b16",),
                lambda a, form=form: _eighth(form, a >> 16, F16) << 8 | _eighth(form, a & 0xFFFF, F16),
            ),
            Form(
                f"cvt.rn.f16x2.{name} {{d}}, {{a}};",
                ("b16",),
                ("f16x2",),
                lambda a, form=form: _widened(form, a >> 8) << 16 | _widened(form, a & 0xFF),
            ),
        ]
    return forms


def _packed(form: Format, mode: str, *, relu: bool) -> Callable[[int, int], int]:
    def model(a: int, b: int) -> int:
        halves = [exact.convert(F32, form, value, mode) for value in (b, a)]
        if relu:
            halves = [_relu(form, half) for half in halves]
        return halves[0] | halves[1] << 16

    return model


def _saturated(a: int, least: int, largest: int, bits: int) -> int:
    return wrap(min(max(signed(a, 32), least), largest), bits)


_OTHERS = [
    *(
        Form(
            f"cvt.{mode}{'.relu' if relu else ''}.{kind}x2.f32 {{d}}, {{a}}, {{b}};",
            ("f32", "f32"),
            (f"{kind}x2",),
            _packed(form, mode, relu=relu),
        )
        for kind, form in (("f16", F16), ("bf16", BF16))
        for mode in ("rn", "rz")
        for relu in (False, True)
    ),
    Form("cvt.rna.tf32.f32 {d}, {a};", ("f32",), ("b32",), lambda a: _tf32(a, "rna")),
    Form("cvt.rn.tf32.f32 {d}, {a};", ("f32",), ("b32",), lambda a: _tf32(a, "rn")),
    Form("cvt.sat.f32.f32 {d}, {a};", ("f32",), ("f32",), F32.saturate),
    Form("cvt.ftz.f32.f16 {d}, {a};", ("f16",), ("f32",), lambda a: F32.flush(exact.convert(F16, F32, a))),
    Form(
        "cvt.pack.sat.s16.s32 {d}, {a}, {b};",
        ("s32", "s32"),
        ("b32",),
        lambda a, b: _saturated(a, -32768, 32767, 16) << 16 | _saturated(b, -32768, 32767, 16),
    ),
    Form(
        "cvt.pack.sat.u8.s32.b32 {d}, {a}, {b}, {c};",
        ("s32", "s32", "b32"),
        ("b32",),
        lambda a, b, c: wrap(c << 16, 32) | _saturated(a, 0, 255, 8) << 8 | _saturated(b, 0, 255, 8),
    ),
]

FORMS: list[Form] = [*_integer_forms(), *_mixed_forms(), *_float_forms(), *_small_forms(), *_OTHERS]
