// Half precision: IEEE 16-bit floats and bfloat16, one or two in a register. Source: PTX ISA 9.7.4, 9.7.9 cvt.
//
// Sums and products of halves are exact in float, and fused multiply-add is close enough in double, so that
// rounding once more gives the correctly rounded result: float has more than twice the bits of a half.
#pragma once

#include "semantics.h"

namespace warpcourt::cpu {

enum class HalfRounding { nearest, zero, down, up, away };

struct F16 {
  static constexpr u16 kOne = 0x3c00, kNan = 0x7fff, kInfinity = 0x7c00, kLargest = 0x7bff, kLeastNormal = 0x0400;
  WC_INLINE_MEMBER static float decode(u16 a) { return float(bits<_Float16>(a)); }
  WC_INLINE_MEMBER static u16 encode(float a) { return bits<u16>(_Float16(a)); }
  WC_INLINE_MEMBER static u16 encode(double a) { return bits<u16>(_Float16(a)); }
};

struct BF16 {
  static constexpr u16 kOne = 0x3f80, kNan = 0x7fff, kInfinity = 0x7f80, kLargest = 0x7f7f, kLeastNormal = 0x0080;
  WC_INLINE_MEMBER static float decode(u16 a) { return bits<float>(u32(a) << 16); }
  WC_INLINE_MEMBER static u16 encode(float a) {
    if (is_nan(a)) return kNan;
    const u32 pattern = bits<u32>(a);
    return u16((pattern + 0x7fff + (pattern >> 16 & 1)) >> 16);
  }
  // By way of a float rounded to odd, so that the second rounding sees whether the first was exact.
  WC_INLINE_MEMBER static u16 encode(double a) {
    float near = float(a);
    if (double(near) != a && !is_nan(a)) {
      u32 pattern = bits<u32>(near);
      if (absolute(double(near)) > absolute(a)) --pattern;
      near = bits<float>(pattern | 1);
    }
    return encode(near);
  }
};

// Encodes with a rounding mode: to nearest, then one step back where that went the wrong way.
template <class H, class F>
WC_INLINE u16 encode_half(F a, HalfRounding mode) {
  const u16 near = H::encode(a);
  if (mode == HalfRounding::nearest || is_nan(a)) return is_nan(a) ? H::kNan : near;
  const F back = F(H::decode(near));
  const bool grew = absolute(back) > absolute(a), shrank = absolute(back) < absolute(a);
  const bool negative = bits<Unsigned<F>>(a) >> (kWidth<F> - 1);
  if (mode == HalfRounding::away) {  // ties away from zero: only an exact tie can have gone to even, downwards
    if (!shrank) return near;
    const F next = F(H::decode(u16(near + 1)));
    return absolute(next) - absolute(a) <= absolute(a) - absolute(back) ? u16(near + 1) : near;
  }
  const bool outwards = mode == (negative ? HalfRounding::down : HalfRounding::up);
  if (outwards) return shrank ? u16(near + 1) : near;
  return grew ? u16(near - 1) : near;
}

template <class H>
WC_INLINE u16 add_half(u16 a, u16 b) { return H::encode(H::decode(a) + H::decode(b)); }
template <class H>
WC_INLINE u16 subtract_half(u16 a, u16 b) { return H::encode(H::decode(a) - H::decode(b)); }
template <class H>
WC_INLINE u16 multiply_half(u16 a, u16 b) { return H::encode(H::decode(a) * H::decode(b)); }
template <class H>
WC_INLINE u16 fused_half(u16 a, u16 b, u16 c) {
  return H::encode(double(H::decode(a)) * double(H::decode(b)) + double(H::decode(c)));
}
// `result`, which is told of if it is infinite although the operands are finite.
template <class H, class... Operands>
WC_INLINE u16 with_overflow(Thread* thread, u16 result, u32 location, Operands... operands) {
  if (__builtin_expect((result & 0x7fff) == H::kInfinity, 0) &&
      ((absolute(H::decode(operands)) < __builtin_inff()) && ...)) {
    wc_half_overflow(thread, location);
  }
  return result;
}
template <class H, class F>
WC_INLINE u16 encode_half(Thread* thread, F a, HalfRounding mode, u32 location) {
  const u16 result = encode_half<H>(a, mode);
  if (__builtin_expect((result & 0x7fff) == H::kInfinity, 0) && absolute(a) < F(__builtin_inff())) {
    wc_half_overflow(thread, location);
  }
  return result;
}
template <class H>
WC_INLINE u16 flush_half_bits(u16 a) { return (a & 0x7fff) < H::kLeastNormal ? u16(a & 0x8000) : a; }
// The float value of a half, subnormal halves flushed.
template <class H>
WC_INLINE float flush_half(float a) { return H::decode(flush_half_bits<H>(H::encode(a))); }
template <class H>
WC_INLINE u16 saturate_half(u16 a) { return H::encode(saturate(H::decode(a))); }
template <class H>
WC_INLINE u16 relu_half(u16 a) {
  const float value = H::decode(a);
  return is_nan(value) ? H::kNan : value > 0 ? a : u16(0);
}
// .satfinite: infinity becomes the largest finite value.
template <class H>
WC_INLINE u16 finite_half(u16 a) { return (a & 0x7fff) == H::kInfinity ? u16((a & 0x8000) | H::kLargest) : a; }
template <class H>
WC_INLINE u16 negate_half(u16 a) { return a ^ 0x8000; }
template <class H>
WC_INLINE u16 absolute_half(u16 a) { return a & 0x7fff; }

template <class H>
WC_INLINE u16 canonical_half(u16 a) { return (a & 0x7fff) > H::kInfinity ? H::kNan : a; }
template <class H>
WC_INLINE u16 minimum_half(u16 a, u16 b) {
  return canonical_half<H>(H::encode(minimum_number(H::decode(a), H::decode(b))));
}
template <class H>
WC_INLINE u16 maximum_half(u16 a, u16 b) {
  return canonical_half<H>(H::encode(maximum_number(H::decode(a), H::decode(b))));
}
template <class H>
WC_INLINE u16 minimum_nan_half(u16 a, u16 b) {
  return canonical_half<H>(H::encode(minimum_nan(H::decode(a), H::decode(b))));
}
template <class H>
WC_INLINE u16 maximum_nan_half(u16 a, u16 b) {
  return canonical_half<H>(H::encode(maximum_nan(H::decode(a), H::decode(b))));
}
template <class H>
WC_INLINE u16 product_sign_half(u16 magnitude, u16 a, u16 b) { return (magnitude & 0x7fff) | ((a ^ b) & 0x8000); }
template <class H>
WC_INLINE u16 tanh_half(u16 a) { return H::encode(__builtin_tanh(double(H::decode(a)))); }
template <class H>
WC_INLINE u16 exp2_half(u16 a) { return H::encode(__builtin_exp2(double(H::decode(a)))); }

// The same operation on both halves of registers.
template <class Operation>
WC_INLINE u32 packed(Operation operation, u32 a) {
  return u32(operation(u16(a))) | u32(operation(u16(a >> 16))) << 16;
}
template <class Operation>
WC_INLINE u32 packed(Operation operation, u32 a, u32 b) {
  return u32(operation(u16(a), u16(b))) | u32(operation(u16(a >> 16), u16(b >> 16))) << 16;
}
template <class Operation>
WC_INLINE u32 packed(Operation operation, u32 a, u32 b, u32 c) {
  return u32(operation(u16(a), u16(b), u16(c))) | u32(operation(u16(a >> 16), u16(b >> 16), u16(c >> 16))) << 16;
}

// 64-bit integers have more bits than a double; what is dropped must not look like a tie.
template <class I>
WC_INLINE double sticky_double(I value) {
  if constexpr (sizeof(I) < 8) return double(value);
  const bool negative = kSigned<I> && value < 0;
  u64 magnitude = negative ? u64(0) - u64(value) : u64(value);
  if (magnitude >> 53) magnitude = (magnitude | ((magnitude & 0x7ff) != 0) << 11) & ~u64(0x7ff);
  return negative ? -double(magnitude) : double(magnitude);
}

}  // namespace warpcourt::cpu
