"""Exact float arithmetic on bit patterns, with integers and fractions only: nothing of the processor's.

Source: IEEE 754-2019; PTX ISA 9.0, sections 9.7.3 and 9.7.9, for .ftz, .sat, min and max of zeros.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

NAN, INFINITY = "nan", "infinity"


@dataclass(frozen=True)
class Number:
    """A decoded float: its sign, and its magnitude, which may be infinite or not a number."""

    negative: bool
    magnitude: Fraction | str

    @property
    def is_nan(self) -> bool:
        return self.magnitude == NAN

    @property
    def is_infinite(self) -> bool:
        return self.magnitude == INFINITY

    @property
    def value(self) -> Fraction:
        assert isinstance(self.magnitude, Fraction)
        return -self.magnitude if self.negative else self.magnitude


@dataclass(frozen=True)
class Format:
    """A binary interchange format."""

    mantissa_bits: int
    exponent_bits: int

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def sign_shift(self) -> int:
        return self.mantissa_bits + self.exponent_bits

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.mantissa_bits

    @property
    def nan(self) -> int:
        return self.infinity | (1 << (self.mantissa_bits - 1))

    def decode(self, bits: int) -> Number:
        negative = bool(bits >> self.sign_shift & 1)
        body = bits & ((1 << self.sign_shift) - 1)
        if body >= self.infinity:
            return Number(negative, INFINITY if body == self.infinity else NAN)
        exponent, mantissa = divmod(body, 1 << self.mantissa_bits)
        scale = max(exponent, 1) - self.bias - self.mantissa_bits
        integer = mantissa + ((1 << self.mantissa_bits) if exponent else 0)
        return Number(negative, Fraction(integer) * Fraction(2) ** scale)

    def encode(self, number: Number, mode: str = "rn") -> int:
        """The nearest pattern (rn: ties to even, rna: ties away), or the next one towards zero, down, up."""
        sign = int(number.negative) << self.sign_shift
        if number.is_nan:
            return self.nan
        if number.is_infinite:
            return sign | self.infinity
        magnitude = abs(number.value)
        if not magnitude:
            return sign
        exponent = max(_floor_log2(magnitude), 1 - self.bias)
        quantum = Fraction(2) ** (exponent - self.mantissa_bits)
        steps = _rounded(magnitude / quantum, mode, negative=number.negative)
        if steps >> (self.mantissa_bits + 1):
            steps >>= 1
            exponent += 1
        if steps >> self.mantissa_bits == 0:
            return sign | steps
        body = ((exponent + self.bias) << self.mantissa_bits) + steps - (1 << self.mantissa_bits)
        if body >= self.infinity:
            outwards = mode in ("rn", "rna") or mode == ("rm" if number.negative else "rp")
            body = self.infinity if outwards else self.infinity - 1
        return sign | body

    def flush(self, bits: int) -> int:
        body = bits & ((1 << self.sign_shift) - 1)
        return bits & (1 << self.sign_shift) if body >> self.mantissa_bits == 0 else bits

    def saturate(self, bits: int) -> int:
        number = self.decode(bits)
        if number.is_nan or number.negative or number.magnitude == 0:
            return 0
        one = self.bias << self.mantissa_bits
        return min(bits, one)


def _floor_log2(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def _rounded(value: Fraction, mode: str, *, negative: bool) -> int:
    whole, rest = divmod(value, 1)
    up = False
    if mode == "rn":
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    elif mode == "rna":
        up = rest >= Fraction(1, 2)
    elif mode == "rm":
        up = negative and rest > 0
    elif mode == "rp":
        up = not negative and rest > 0
    return int(whole) + int(up)


F16, BF16 = Format(10, 5), Format(7, 8)
F32, F64 = Format(23, 8), Format(52, 11)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


def add(form: Format, a: int, b: int, mode: str = "rn") -> int:
    return fma(form, form.bias << form.mantissa_bits, a, b, mode)


def subtract(form: Format, a: int, b: int, mode: str = "rn") -> int:
    return add(form, a, b ^ (1 << form.sign_shift), mode)


def multiply(form: Format, a: int, b: int, mode: str = "rn") -> int:
    x, y = form.decode(a), form.decode(b)
    negative = x.negative != y.negative
    if x.is_nan or y.is_nan or (x.is_infinite and y.magnitude == 0) or (y.is_infinite and x.magnitude == 0):
        return form.nan
    if x.is_infinite or y.is_infinite:
        return form.encode(Number(negative, INFINITY))
    return form.encode(Number(negative, abs(x.value * y.value)), mode)


def fma(form: Format, a: int, b: int, c: int, mode: str = "rn") -> int:
    x, y, z = form.decode(a), form.decode(b), form.decode(c)
    if x.is_nan or y.is_nan or z.is_nan:
        return form.nan
    product_negative = x.negative != y.negative
    if x.is_infinite or y.is_infinite:
        if x.magnitude == 0 or y.magnitude == 0 or (z.is_infinite and z.negative != product_negative):
            return form.nan
        return form.encode(Number(product_negative, INFINITY))
    if z.is_infinite:
        return form.encode(z)
    total = x.value * y.value + z.value
    if total:
        return form.encode(Number(total < 0, abs(total)), mode)
    same_sign = product_negative == z.negative
    both_zero = x.value * y.value == 0
    negative = product_negative if same_sign and both_zero else mode == "rm"
    return form.encode(Number(negative, Fraction(0)))


def divide(form: Format, a: int, b: int, mode: str = "rn") -> int:
    x, y = form.decode(a), form.decode(b)
    negative = x.negative != y.negative
    if x.is_nan or y.is_nan or (x.is_infinite and y.is_infinite) or x.magnitude == y.magnitude == 0:
        return form.nan
    if x.is_infinite or y.magnitude == 0:
        return form.encode(Number(negative, INFINITY))
    if y.is_infinite:
        return form.encode(Number(negative, Fraction(0)))
    return form.encode(Number(negative, abs(x.value / y.value)), mode)


def square_root(form: Format, a: int, mode: str = "rn") -> int:
    x = form.decode(a)
    if x.is_nan or (x.negative and x.magnitude != 0):
        return form.nan
    if x.is_infinite or x.magnitude == 0:
        return a
    # Far more bits than any format has, and a sticky one: enough to round to any of the formats.
    shift = 600
    scaled = x.value * Fraction(4) ** shift
    root = isqrt(int(scaled))
    sticky = Fraction(0) if root * root == scaled else Fraction(1, 2)
    return form.encode(Number(negative=False, magnitude=(root + sticky) / Fraction(2) ** shift), mode)


def minimum(form: Format, a: int, b: int, *, nan_wins: bool = False) -> int:
    return _extreme(form, a, b, nan_wins=nan_wins, largest=False)


def maximum(form: Format, a: int, b: int, *, nan_wins: bool = False) -> int:
    return _extreme(form, a, b, nan_wins=nan_wins, largest=True)


def _extreme(form: Format, a: int, b: int, *, nan_wins: bool, largest: bool) -> int:
    x, y = form.decode(a), form.decode(b)
    if x.is_nan or y.is_nan:
        if nan_wins or (x.is_nan and y.is_nan):
            return form.nan
        return b if x.is_nan else a
    first = _order(form, a) >= _order(form, b)
    return a if first == largest else b


def _order(form: Format, bits: int) -> int:
    """An integer that orders patterns as numbers, -0 below +0."""
    body = bits & ((1 << form.sign_shift) - 1)
    return -body - 1 if bits >> form.sign_shift & 1 else body


def compare(form: Format, a: int, b: int) -> int | None:
    """-1, 0 or 1; None with a NaN."""
    x, y = form.decode(a), form.decode(b)
    if x.is_nan or y.is_nan:
        return None
    if x.magnitude == 0 and y.magnitude == 0:
        return 0
    first, second = _order(form, a), _order(form, b)
    return (first > second) - (first < second)


def convert(source: Format, target: Format, a: int, mode: str = "rn") -> int:
    return target.encode(source.decode(a), mode)


def to_integer(form: Format, a: int, bits: int, mode: str, *, signed: bool) -> int:
    """Source: PTX ISA 9.0, 9.7.9 cvt: clamped; NaN is 0, or the lone top bit when either side has 64 bits."""
    number = form.decode(a)
    least, largest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if number.is_nan:
        return 1 << (bits - 1) if bits == 64 or form is F64 else 0
    if number.is_infinite:
        value = least if number.negative else largest
    else:
        magnitude = _rounded(abs(number.value), mode, negative=number.negative)
        value = min(max(-magnitude if number.negative else magnitude, least), largest)
    return value & ((1 << bits) - 1)


def from_integer(target: Format, value: int, mode: str = "rn") -> int:
    return target.encode(Number(value < 0, Fraction(abs(value))), mode)
