// Atomics on one or two halves. Source: PTX ISA 9.7.13 (atom.add.noftz).
#pragma once

#include "semantics_atomic.h"
#include "semantics_half.h"

namespace warpcourt::cpu {

struct Single {
  template <class Operation>
  WC_INLINE_MEMBER static u16 apply(Operation operation, u16 a, u16 b) { return operation(a, b); }
};
struct Packed {
  template <class Operation>
  WC_INLINE_MEMBER static u32 apply(Operation operation, u32 a, u32 b) { return packed(operation, a, b); }
};

template <class Lanes, class H>
struct AtomicAddHalf {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return Lanes::apply(add_half<H>, old, operand); }
};
template <class Lanes, class H>
struct AtomicMinHalf {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return Lanes::apply(minimum_half<H>, old, operand); }
};
template <class Lanes, class H>
struct AtomicMaxHalf {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return Lanes::apply(maximum_half<H>, old, operand); }
};

}  // namespace warpcourt::cpu
