// cp.async and mbarrier. Source: PTX ISA 9.7.9 (cp.async), 9.7.13 (mbarrier).
//
// An mbarrier's 64 bits here: phase (bits 63–61), pending bytes of transactions (60–40), expected arrivals (39–20), pending
// arrivals (19–0). A phase is complete if nothing is pending.
#pragma once

#include "semantics.h"

namespace warpcourt::cpu {

constexpr u64 kArrivals = 0xfffff;
constexpr u64 kTransactions = 0x1fffff;
constexpr u32 kExpectedShift = 20, kTransactionShift = 40, kPhaseShift = 61;

// What a copy reads, at an address that was checked: the first `kept` bytes; the rest is zero.
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
// Stores a state, or the next phase if nothing is pending.
WC_INLINE void settle_barrier(u64 at, u64 state) {
  const bool complete = !(state & kArrivals) && !(state >> kTransactionShift & kTransactions);
  const u64 expected = state >> kExpectedShift & kArrivals, phase = state >> kPhaseShift;
  store<u64>(at, complete ? (phase + 1) << kPhaseShift | expected << kExpectedShift | expected : state);
}
// Returns the state before; the last arrival starts the next phase.
WC_INLINE u64 arrive_barrier(u64 at, u32 count) {
  const u64 old = load<u64>(at);
  settle_barrier(at, (old & ~kArrivals) | ((old - count) & kArrivals));
  return old;
}
// Adds bytes to those that are pending; a negative number takes away bytes that have arrived.
WC_INLINE u64 with_transactions(u64 state, s64 bytes) {
  const u64 pending = ((state >> kTransactionShift) + u64(bytes)) & kTransactions;
  return (state & ~(kTransactions << kTransactionShift)) | pending << kTransactionShift;
}
WC_INLINE void expect_transactions(u64 at, u32 bytes) { store<u64>(at, with_transactions(load<u64>(at), bytes)); }
WC_INLINE void complete_transactions(u64 at, u32 bytes) {
  settle_barrier(at, with_transactions(load<u64>(at), -s64(bytes)));
}
WC_INLINE u64 drop_barrier(u64 at, u32 count) {
  store<u64>(at, load<u64>(at) - (u64(count) << kExpectedShift));
  return arrive_barrier(at, count);
}
WC_INLINE u32 pending_count(u64 state) { return u32(state & kArrivals); }

// Bulk copies arrive when a thread looks.
WC_INLINE u64 look_at_barrier(Thread* thread, u64 at) {
  if (const u32 bytes = wc_arrived_bytes(thread, at)) complete_transactions(at, bytes);
  return load<u64>(at);
}
WC_INLINE bool met(Thread* thread, bool complete) {
  if (complete) {
    wc_meet(thread);
  } else {
    wc_yield(thread);
  }
  return complete;
}
WC_INLINE bool is_phase_complete(Thread* thread, u64 at, u64 state) {
  return met(thread, look_at_barrier(thread, at) >> kPhaseShift != state >> kPhaseShift);
}
WC_INLINE bool is_parity_complete(Thread* thread, u64 at, u32 parity) {
  return met(thread, (look_at_barrier(thread, at) >> kPhaseShift & 1) != (parity & 1));
}

}  // namespace warpcourt::cpu
