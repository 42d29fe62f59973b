// Atomics. The threads of a block take turns on one OS thread, so shared memory needs no locked instructions.
// Source: PTX ISA 9.7.13 (atom, red).
#pragma once

#include "semantics.h"

namespace warpcourt::cpu {

struct AtomicAdd {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return T(old + operand); }
};
struct AtomicExch {
  static constexpr bool kSpins = true;  // a lock may be taken this way
  template <class T>
  WC_INLINE_MEMBER static T apply(T, T operand) { return operand; }
};
struct AtomicMin {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return operand < old ? operand : old; }
};
struct AtomicMax {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return old < operand ? operand : old; }
};
struct AtomicAnd {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return T(old & operand); }
};
struct AtomicOr {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return T(old | operand); }
};
struct AtomicXor {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T operand) { return T(old ^ operand); }
};
struct AtomicInc {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T limit) { return old >= limit ? T(0) : T(old + 1); }
};
struct AtomicDec {
  static constexpr bool kSpins = false;
  template <class T>
  WC_INLINE_MEMBER static T apply(T old, T limit) { return old == 0 || old > limit ? limit : T(old - 1); }
};

// An operation that changes nothing is how some programs read: atomicAdd(&flag, 0) in a loop. It yields only
// afterwards: race mode has already recorded its order, so no other thread may run in between.
template <class Operation, class T>
WC_INLINE T atomic(const Frame& frame, u64 address, T operand) {
  if (is_shared(frame, address)) {
    const T old = load<T>(address);
    const T updated = Operation::apply(old, operand);
    store<T>(address, updated);
    if (bits<Unsigned<T>>(updated) == bits<Unsigned<T>>(old)) poll(frame.thread, address); else progress(frame.thread);
    if constexpr (Operation::kSpins) spin(frame.thread);
    return old;
  }
  using Word = Unsigned<T>;
  auto* const target = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(target, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(target, &old, bits<Word>(Operation::apply(bits<T>(old), operand)), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  if (bits<Word>(Operation::apply(bits<T>(old), operand)) == old) poll(frame.thread, address); else progress(frame.thread);
  if constexpr (Operation::kSpins) spin(frame.thread);
  return bits<T>(old);
}

template <>
WC_INLINE_MEMBER u32 atomic<AtomicAdd, u32>(const Frame& frame, u64 address, u32 operand) {
  u32 old;
  if (is_shared(frame, address)) {
    old = load<u32>(address);
    store<u32>(address, old + operand);
  } else {
    old = __atomic_fetch_add(reinterpret_cast<u32*>(address), operand, __ATOMIC_SEQ_CST);
  }
  if (operand == 0) poll(frame.thread, address); else progress(frame.thread);
  return old;
}
template <>
WC_INLINE_MEMBER u64 atomic<AtomicAdd, u64>(const Frame& frame, u64 address, u64 operand) {
  u64 old;
  if (is_shared(frame, address)) {
    old = load<u64>(address);
    store<u64>(address, old + operand);
  } else {
    old = __atomic_fetch_add(reinterpret_cast<u64*>(address), operand, __ATOMIC_SEQ_CST);
  }
  if (operand == 0) poll(frame.thread, address); else progress(frame.thread);
  return old;
}

// A failed swap is what a spinning thread looks like; a successful one is progress.
template <class T>
WC_INLINE T compare_and_swap(const Frame& frame, u64 address, T expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    // 128 bits are not atomic between blocks here; within a block they are.
    const T old = load<T>(address);
    if (old == expected) {
      store<T>(address, desired);
      progress(frame.thread);
    } else {
      spin(frame.thread);
    }
    return old;
  } else {
    using Word = Unsigned<T>;
    Word old = bits<Word>(expected);
    if (__atomic_compare_exchange_n(reinterpret_cast<Word*>(address), &old, bits<Word>(desired), false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      progress(frame.thread);
    } else {
      spin(frame.thread);
    }
    return bits<T>(old);
  }
}

}  // namespace warpcourt::cpu
