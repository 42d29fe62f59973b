// Words that all semantics headers share: integer types by width, and bits reinterpreted.
#pragma once

#include "abi.h"

#define WC_INLINE [[gnu::always_inline]] static inline
#define WC_INLINE_MEMBER [[gnu::always_inline]] inline

namespace warpcourt::cpu {

using u128 = unsigned __int128;
using s128 = __int128;

template <class To, class From>
WC_INLINE To bits(From from) {
  return __builtin_bit_cast(To, from);
}

// A branch that counting runs count.
WC_INLINE bool branch(Thread* thread, bool taken, BranchSite site) {
  if (__builtin_expect(thread->counted, 0)) wc_branch(thread, taken, site);
  return taken;
}

// A subtraction of rounded numbers, which counting runs watch: `larger` is an operand, and `left` the result.
WC_INLINE void subtracted(Thread* thread, float larger, float left, u32 location) {
  if (__builtin_expect(thread->counted, 0)) wc_subtracted(thread, larger, left, location);
}

// An addition to a sum that a loop accumulates, which counting runs watch.
WC_INLINE void accumulated(Thread* thread, const Addition& addition, u32 location) {
  if (__builtin_expect(thread->counted, 0)) wc_accumulated(thread, addition, location);
}

// An instruction that counting runs count: the products of narrow types, and what a problem asks for.
WC_INLINE void executes(Thread* thread, u32 number) {
  if (__builtin_expect(thread->executed != nullptr, 0)) ++thread->executed[number];
}

template <class T>
constexpr bool kSigned = T(-1) < T(0);
template <class T>
constexpr u32 kWidth = 8 * sizeof(T);

template <u32 kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> { using type = u8; };
template <>
struct UnsignedOf<2> { using type = u16; };
template <>
struct UnsignedOf<4> { using type = u32; };
template <>
struct UnsignedOf<8> { using type = u64; };
template <>
struct UnsignedOf<16> { using type = u128; };
template <class T>
using Unsigned = typename UnsignedOf<sizeof(T)>::type;

}  // namespace warpcourt::cpu
