// What PTX instructions compute: the part that every translated module includes.
//
// Everything is inline and branch-light, and no standard header beyond abi.h's is included, because g++ reads
// this file for every submission. Rarer families have headers of their own (semantics_half.h, …).
// Compile with -ffp-contract=off -fno-strict-aliasing: PTX rounds every operation and reinterprets memory.
//
// NaN: a GPU makes the NaN 0x7fffffff; this CPU keeps a payload. Only an inspection of the bits can tell.
#pragma once

#include "semantics_base.h"
#include "semantics_memory.h"

namespace warpcourt::cpu {

// ---- integers: PTX ISA 9.7.1 --------------------------------------------------------------------------------

template <class T>
WC_INLINE T multiply(T a, T b) {
  return T(Unsigned<T>(u64(a) * u64(b)));
}

template <class T>
struct Wider;
template <>
struct Wider<u16> { using type = u32; };
template <>
struct Wider<s16> { using type = s32; };
template <>
struct Wider<u32> { using type = u64; };
template <>
struct Wider<s32> { using type = s64; };
template <>
struct Wider<u64> { using type = u128; };
template <>
struct Wider<s64> { using type = s128; };

template <class T>
WC_INLINE typename Wider<T>::type multiply_wide(T a, T b) {
  using Wide = typename Wider<T>::type;
  return Wide(a) * Wide(b);
}
template <class T>
WC_INLINE T multiply_high(T a, T b) {
  return T(multiply_wide(a, b) >> kWidth<T>);
}
// 24-bit multiplication: the product has 48 bits, of which .hi is the upper 32 and .lo the lower 32.
template <class T>
WC_INLINE s64 product24(T a, T b) {
  if constexpr (kSigned<T>) return (s64(a) << 40 >> 40) * (s64(b) << 40 >> 40);
  return s64((u64(a) & 0xffffff) * (u64(b) & 0xffffff));
}
WC_INLINE s32 saturate_s32(s64 value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : s32(value);
}

// A GPU does not trap: the quotient of a division by zero is all ones, the remainder is the dividend.
template <class T>
WC_INLINE T divide(Thread* thread, T a, T b, u32 location) {
  if (__builtin_expect(b == 0, 0)) {
    wc_divide_by_zero(thread, location);
    return T(-1);
  }
  if (kSigned<T> && b == T(-1)) return T(Unsigned<T>(0) - Unsigned<T>(a));
  return T(a / b);
}
template <class T>
WC_INLINE T remainder(Thread* thread, T a, T b, u32 location) {
  if (__builtin_expect(b == 0, 0)) {
    wc_divide_by_zero(thread, location);
    return a;
  }
  if (kSigned<T> && b == T(-1)) return 0;
  return T(a % b);
}

template <class T>
WC_INLINE T negate(T a) {
  return T(Unsigned<T>(0) - Unsigned<T>(a));
}
template <class T>
WC_INLINE T absolute(T a) {
  return a < 0 ? negate(a) : a;
}
template <class T>
WC_INLINE T minimum(T a, T b) {
  return b < a ? b : a;
}
template <class T>
WC_INLINE T maximum(T a, T b) {
  return a < b ? b : a;
}
template <class T>
WC_INLINE T sum_of_differences(T a, T b, T c) {
  return T(Unsigned<T>(c) + (a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b)));
}

WC_INLINE u32 count_leading_zeros(u32 a) { return a ? u32(__builtin_clz(a)) : 32; }
WC_INLINE u32 count_leading_zeros(u64 a) { return a ? u32(__builtin_clzll(a)) : 64; }

// The most significant bit that differs from the sign; all ones when there is none.
template <class T>
WC_INLINE u32 find_leading_bit(T a) {
  const auto value = Unsigned<T>(kSigned<T> && a < 0 ? T(~a) : a);
  return value ? kWidth<T> - 1 - count_leading_zeros(value) : ~0u;
}
template <class T>
WC_INLINE u32 find_leading_bit_shift(T a) {
  const u32 found = find_leading_bit(a);
  return found == ~0u ? found : kWidth<T> - 1 - found;
}

// The offset-th set bit at or after (offset > 0) or at or before (offset < 0) base; offset 0 asks for base itself.
WC_INLINE u32 find_nth_set(u32 mask, u32 base, s32 offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return mask >> base & 1 ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  s64 left = offset > 0 ? offset : -s64(offset);
  for (int position = int(base); 0 <= position && position < 32; position += step)
    if ((mask >> position & 1) && --left == 0) return u32(position);
  return ~0u;
}

WC_INLINE u32 reverse_bits(u32 a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(a);
}
WC_INLINE u64 reverse_bits(u64 a) { return u64(reverse_bits(u32(a))) << 32 | reverse_bits(u32(a >> 32)); }

template <class T>
WC_INLINE T extract_bits(T a, u32 position, u32 length) {
  position &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  const auto value = Unsigned<T>(a);
  const u32 last = position + length - 1 < kWidth<T> ? position + length - 1 : kWidth<T> - 1;
  const bool fill = kSigned<T> && (value >> last & 1);
  auto field = position < kWidth<T> ? Unsigned<T>(value >> position) : Unsigned<T>(0);
  const u32 kept = position < kWidth<T> ? minimum(length, kWidth<T> - position) : 0;
  if (kept < kWidth<T>) {
    const auto mask = Unsigned<T>((Unsigned<T>(1) << kept) - 1);
    field = fill ? Unsigned<T>(field | Unsigned<T>(~mask)) : Unsigned<T>(field & mask);
  }
  return T(field);
}
template <class T>
WC_INLINE T insert_bits(T field, T into, u32 position, u32 length) {
  position &= 0xff;
  length &= 0xff;
  if (position >= kWidth<T> || length == 0) return into;
  const T mask = T((length >= kWidth<T> ? T(~T(0)) : T((T(1) << length) - 1)) << position);
  return T((into & T(~mask)) | (T(field << position) & mask));
}
// Sign or zero extension of the low `width` bits; .clamp limits the width to 32, .wrap takes it modulo 32.
template <class T, bool kClamp>
WC_INLINE T extend_bits(T a, u32 width) {
  width = kClamp ? minimum(width, 32u) : width & 31;
  if (width == 0) return 0;
  return width == 32 ? a : T(T(Unsigned<T>(a) << (32 - width)) >> (32 - width));
}
template <bool kClamp>
WC_INLINE u32 bit_mask(u32 position, u32 length) {
  if (!kClamp) {
    position &= 31;
    length &= 31;
  }
  if (position >= 32) return 0;
  return (length >= 32 ? ~0u : (1u << length) - 1) << position;
}

template <class A, class B>
WC_INLINE u32 dot4(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 4; ++i) c += u32(s32(A(a >> 8 * i)) * s32(B(b >> 8 * i)));
  return c;
}
// Two 16-bit values of a with the lower or upper two bytes of b.
template <class A, class B, bool kHigh>
WC_INLINE u32 dot2(u32 a, u32 b, u32 c) {
  const u32 bytes = kHigh ? b >> 16 : b;
  return c + u32(s32(A(a)) * s32(B(bytes))) + u32(s32(A(a >> 16)) * s32(B(bytes >> 8)));
}

// ---- logic, shifts, bytes: PTX ISA 9.7.8, 9.7.9 -------------------------------------------------------------

template <class T>
WC_INLINE T shift_left(T a, u32 count) {
  return count >= kWidth<T> ? T(0) : T(a << count);
}
template <class T>
WC_INLINE T shift_right(T a, u32 count) {
  if (count >= kWidth<T>) return kSigned<T> && a < 0 ? T(-1) : T(0);
  return T(a >> count);
}
template <bool kClamp>
WC_INLINE u32 funnel_left(u32 low, u32 high, u32 count) {
  count = kClamp ? minimum(count, 32u) : count & 31;
  return u32((u64(high) << 32 | low) << count >> 32);
}
template <bool kClamp>
WC_INLINE u32 funnel_right(u32 low, u32 high, u32 count) {
  count = kClamp ? minimum(count, 32u) : count & 31;
  return u32((u64(high) << 32 | low) >> count);
}
// Any function of three bits: bit 4a + 2b + c of the table is the result.
template <u32 kTable>
WC_INLINE u32 lop3(u32 a, u32 b, u32 c) {
  u32 result = 0;
  if constexpr (kTable & 0x01) result |= ~a & ~b & ~c;
  if constexpr (kTable & 0x02) result |= ~a & ~b & c;
  if constexpr (kTable & 0x04) result |= ~a & b & ~c;
  if constexpr (kTable & 0x08) result |= ~a & b & c;
  if constexpr (kTable & 0x10) result |= a & ~b & ~c;
  if constexpr (kTable & 0x20) result |= a & ~b & c;
  if constexpr (kTable & 0x40) result |= a & b & ~c;
  if constexpr (kTable & 0x80) result |= a & b & c;
  return result;
}
// Picks four of the eight bytes of b:a; selector bit 3 spreads the picked byte's sign instead.
WC_INLINE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 pick = selector >> 4 * i & 15;
    u32 byte = u32(bytes >> 8 * (pick & 7)) & 0xff;
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// ---- floats: PTX ISA 9.7.3 ----------------------------------------------------------------------------------

WC_INLINE float absolute(float a) { return __builtin_fabsf(a); }
WC_INLINE double absolute(double a) { return __builtin_fabs(a); }
WC_INLINE float copy_sign(float magnitude, float sign) { return __builtin_copysignf(magnitude, sign); }
WC_INLINE double copy_sign(double magnitude, double sign) { return __builtin_copysign(magnitude, sign); }
WC_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WC_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
WC_INLINE float square_root(float a) { return __builtin_sqrtf(a); }
WC_INLINE double square_root(double a) { return __builtin_sqrt(a); }

// sin.approx and cos.approx count the turns of the circle in single precision, so a large angle costs precision.
// Source: PTX ISA 9.7.3.18 and 9.7.3.19 bound the error for angles up to 2 pi.
constexpr float kTurnsPerRadian = 0.15915494309189535f;
constexpr double kRadiansPerTurn = 6.283185307179586;
WC_INLINE float approximate_sin(float a) { return __builtin_sin(kRadiansPerTurn * double(a * kTurnsPerRadian)); }
WC_INLINE float approximate_cos(float a) { return __builtin_cos(kRadiansPerTurn * double(a * kTurnsPerRadian)); }
// tanh.approx has a relative error of up to 2^-11, as after cutting off 12 bits. Source: PTX ISA 9.7.3.22.
WC_INLINE float approximate_tanh(float a) {
  return __builtin_bit_cast(float, __builtin_bit_cast(u32, __builtin_tanhf(a)) & ~u32{0xfff});
}

template <class F>
WC_INLINE bool is_nan(F a) {
  return a != a;
}

// .ftz: subnormals become zeros of the same sign.
WC_INLINE float flush(float a) { return absolute(a) < __FLT_MIN__ ? copy_sign(0.0f, a) : a; }
WC_INLINE double flush(double a) { return absolute(a) < __DBL_MIN__ ? copy_sign(0.0, a) : a; }
// .sat: into [0, 1], NaN becomes 0.
template <class F>
WC_INLINE F saturate(F a) {
  return a > F(0) ? (a < F(1) ? a : F(1)) : F(0);
}

// A number wins over NaN; -0 is less than +0.
template <class F>
WC_INLINE F minimum_number(F a, F b) {
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  if (a == b) return bits<F>(Unsigned<F>(bits<Unsigned<F>>(a) | bits<Unsigned<F>>(b)));
  return a < b ? a : b;
}
template <class F>
WC_INLINE F maximum_number(F a, F b) {
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  if (a == b) return bits<F>(Unsigned<F>(bits<Unsigned<F>>(a) & bits<Unsigned<F>>(b)));
  return a < b ? b : a;
}
// .NaN: NaN wins.
template <class F>
WC_INLINE F minimum_nan(F a, F b) {
  return is_nan(a) ? a : is_nan(b) ? b : minimum_number(a, b);
}
template <class F>
WC_INLINE F maximum_nan(F a, F b) {
  return is_nan(a) ? a : is_nan(b) ? b : maximum_number(a, b);
}
// .xorsign.abs: the smaller or larger magnitude with the product of the signs.
template <class F>
WC_INLINE F with_product_sign(F magnitude, F a, F b) {
  const bool negative = __builtin_signbit(a) != __builtin_signbit(b);
  return copy_sign(absolute(magnitude), negative ? F(-1) : F(1));
}

// ---- conversions: PTX ISA 9.7.9 cvt ---------------------------------------------------------------------------

// Float (already rounded to an integer) to integer: clamped; NaN gives 0, or the lone top bit when either is 64 bits.
template <class I, class F>
WC_INLINE I to_integer(F value) {
  constexpr u32 width = kWidth<I>;
  constexpr I largest = kSigned<I> ? I(Unsigned<I>(-1) >> 1) : I(-1);
  constexpr I least = I(Unsigned<I>(largest) + 1);  // wraps to the least, or to zero
  if (is_nan(value)) return sizeof(I) == 8 || sizeof(F) == 8 ? I(Unsigned<I>(1) << (width - 1)) : I(0);
  constexpr F limit = F(Unsigned<I>(1) << (width - 1)) * (kSigned<I> ? F(1) : F(2));
  if (value >= limit) return largest;
  if (value < (kSigned<I> ? -limit : F(0))) return least;
  return I(value);
}
// Integer to integer with .sat.
template <class To, class From>
WC_INLINE To saturate_integer(From value) {
  constexpr To largest = kSigned<To> ? To(Unsigned<To>(-1) >> 1) : To(-1);
  constexpr To least = To(Unsigned<To>(largest) + 1);
  return s128(value) > s128(largest) ? largest : s128(value) < s128(least) ? least : To(value);
}

}  // namespace warpcourt::cpu
