// TF32 and the 8-bit floats. Source: PTX ISA 9.7.9 (cvt) and 5.2.3 (alternate floating-point formats).
#pragma once

#include "semantics_half.h"

namespace warpcourt::cpu {

// 10 bits of mantissa; ties away from zero (.rna) or to even.
template <bool kAway, bool kRelu>
WC_INLINE u32 to_tf32(float a) {
  if (is_nan(a)) return 0x7fffffff;
  if (kRelu && !(a > 0)) return 0;
  const u32 pattern = bits<u32>(a);
  if ((pattern & 0x7f800000) == 0x7f800000) return pattern;
  return (pattern + (kAway ? 0x1000 : 0x0fff + (pattern >> 13 & 1))) & 0xffffe000;
}

struct E4M3 {
  static constexpr int kMantissa = 3, kBias = 7;
  static constexpr u8 kNan = 0x7f, kLargest = 0x7e;
  static constexpr bool is_nan_pattern(u8 a) { return (a & 0x7f) == 0x7f; }
  static constexpr bool is_infinity(u8) { return false; }
};
struct E5M2 {
  static constexpr int kMantissa = 2, kBias = 15;
  static constexpr u8 kNan = 0x7f, kLargest = 0x7b;
  static constexpr bool is_nan_pattern(u8 a) { return (a & 0x7f) > 0x7c; }
  static constexpr bool is_infinity(u8 a) { return (a & 0x7f) == 0x7c; }
};

template <class S>
inline float decode_small(u8 a) {
  if (S::is_nan_pattern(a)) return __builtin_nanf("");
  const int exponent = (a & 0x7f) >> S::kMantissa, mantissa = a & ((1 << S::kMantissa) - 1);
  float value = S::is_infinity(a) ? __builtin_inff()
                : exponent        ? __builtin_ldexpf(float(mantissa + (1 << S::kMantissa)), exponent - S::kBias - S::kMantissa)
                                  : __builtin_ldexpf(float(mantissa), 1 - S::kBias - S::kMantissa);
  return a & 0x80 ? -value : value;
}

// To nearest even, beyond the largest value the largest (.satfinite, the only mode there is).
template <class S, bool kRelu>
inline u8 encode_small(float a) {
  if (is_nan(a)) return S::kNan;
  if (kRelu && !(a > 0)) return 0;
  const u8 sign = __builtin_signbit(a) ? 0x80 : 0;
  const float magnitude = absolute(a);
  if (magnitude >= decode_small<S>(S::kLargest)) return sign | S::kLargest;
  int exponent = int(bits<u32>(magnitude) >> 23) - 127;
  if (exponent < 1 - S::kBias) exponent = 1 - S::kBias;
  const int scaled = int(__builtin_rintf(__builtin_ldexpf(magnitude, S::kMantissa - exponent)));
  return sign | u8(scaled + ((exponent + S::kBias - 1) << S::kMantissa));
}

template <class S, bool kRelu>
inline u16 encode_pair(float high, float low) {
  return u16(encode_small<S, kRelu>(high) << 8 | encode_small<S, kRelu>(low));
}
template <class S, bool kRelu>
inline u16 encode_pair(u32 halves) {
  return encode_pair<S, kRelu>(F16::decode(u16(halves >> 16)), F16::decode(u16(halves)));
}
template <class S, bool kRelu>
inline u32 decode_pair(u16 pair) {
  u16 low = F16::encode(decode_small<S>(u8(pair))), high = F16::encode(decode_small<S>(u8(pair >> 8)));
  if (kRelu) {
    low = relu_half<F16>(low);
    high = relu_half<F16>(high);
  }
  return u32(high) << 16 | low;
}

}  // namespace warpcourt::cpu
