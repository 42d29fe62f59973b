// cp.async and mbarrier. Source: PTX ISA 9.7.9 (cp.async), 9.7.13 (mbarrier).
//
// An mbarrier's 64 bits here: phase (bits 63–40), expected arrivals (39–20), pending arrivals (19–0).
#pragma once

#include "semantics.h"

namespace warpcourt::cpu {

constexpr u64 kArrivals = 0xfffff;
constexpr u32 kExpectedShift = 20, kPhaseShift = 40;

// What a copy reads: the first `kept` bytes; the rest is zero.
template <u32 kBytes>
struct CopySource {
  u8 data[kBytes] = {};

  WC_INLINE_MEMBER CopySource(u64 source, u32 kept) {
    if (kept == kBytes) {
      __builtin_memcpy(data, reinterpret_cast<const void*>(source), kBytes);
    } else if (kept) {
      __builtin_memcpy(data, reinterpret_cast<const void*>(source), kept > kBytes ? kBytes : kept);
    }
  }
};

WC_INLINE void init_barrier(u64 at, u32 count) {
  store<u64>(at, u64(count & kArrivals) << kExpectedShift | (count & kArrivals));
}
// Returns the state before; the last arrival starts the next phase.
WC_INLINE u64 arrive_barrier(u64 at, u32 count) {
  const u64 old = load<u64>(at);
  const u64 pending = (old - count) & kArrivals, expected = old >> kExpectedShift & kArrivals;
  const u64 phase = old >> kPhaseShift;
  store<u64>(at, pending ? (old & ~kArrivals) | pending
                         : (phase + 1) << kPhaseShift | expected << kExpectedShift | expected);
  return old;
}
WC_INLINE u64 drop_barrier(u64 at, u32 count) {
  store<u64>(at, load<u64>(at) - (u64(count) << kExpectedShift));
  return arrive_barrier(at, count);
}
WC_INLINE u32 pending_count(u64 state) { return u32(state & kArrivals); }

WC_INLINE bool met(Thread* thread, bool complete) {
  if (complete) {
    wc_meet(thread);
  } else {
    wc_yield(thread);
  }
  return complete;
}
WC_INLINE bool is_phase_complete(Thread* thread, u64 at, u64 state) {
  return met(thread, load<u64>(at) >> kPhaseShift != state >> kPhaseShift);
}
WC_INLINE bool is_parity_complete(Thread* thread, u64 at, u32 parity) {
  return met(thread, (load<u64>(at) >> kPhaseShift & 1) != (parity & 1));
}

}  // namespace warpcourt::cpu
