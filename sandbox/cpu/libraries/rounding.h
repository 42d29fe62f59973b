// The precisions in which cuBLAS may compute a product, and conversions between types of elements.
#pragma once

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <complex>
#include <type_traits>

#include "../runtime/abi.h"

namespace warpcourt::cpu {

enum class Rounding { kNone, kTf32, kHalf, kBfloat16 };

struct Arithmetic {
  Rounding factors = Rounding::kNone;
  Rounding sums = Rounding::kNone;
};

// TF32 has the exponent of float and ten bits of its mantissa. Halfway cases go away from zero, as in cvt.rna.
inline float rounded_to(float value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kTf32: {
      const u32 bits = std::bit_cast<u32>(value);
      if ((bits >> 23 & 0xff) == 0xff) return value;
      return std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu);
    }
    case Rounding::kHalf: return __half2float(__float2half(value));
    case Rounding::kBfloat16: return __bfloat162float(__float2bfloat16(value));
    default: return value;
  }
}
inline double rounded_to(double value, Rounding) { return value; }
template <class T>
std::complex<T> rounded_to(std::complex<T> value, Rounding rounding) {
  return {rounded_to(value.real(), rounding), rounded_to(value.imag(), rounding)};
}

// Without the care that std::complex takes of infinities.
template <class T>
T multiplied(T a, T b) {
  return a * b;
}
template <class T>
std::complex<T> multiplied(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// An element in the type of a sum.
template <class Sum, class T>
Sum widened(T value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __half2float(value);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __bfloat162float(value);
  } else if constexpr (std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>) {
    return {value.x, value.y};
  } else {
    return value;
  }
}

// A sum as an element.
template <class T, class Sum>
T narrowed(Sum value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __float2half(value);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __float2bfloat16(value);
  } else if constexpr (std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>) {
    return {value.real(), value.imag()};
  } else {
    return value;
  }
}

}  // namespace warpcourt::cpu
