// Memory as translated code reaches it: checked addresses, loads and stores, polling.
//
// A check is one subtraction and one compare against what the same site was allowed before; everything
// else is a slow path in the runtime.
#pragma once

#include "semantics_base.h"

namespace warpcourt::cpu {

// A thread's constant fields, which the compiler keeps in registers.
struct Frame {
  Thread* thread;
  u64 shared;
  u64 shared_bytes;
  SiteCache* sites;
  bool races;

  WC_INLINE_MEMBER explicit Frame(Thread* t)
      : thread(t), shared(u64(t->shared)), shared_bytes(t->shared_bytes), sites(t->sites), races(t->races) {}
};

// What a register holds before it is written.
template <class T>
WC_INLINE T undefined(const Frame& frame) {
  T value = {};
  if constexpr (!__is_same(T, bool)) __builtin_memset(&value, frame.thread->poison, sizeof value);
  return value;
}
// Race mode: what a local array holds before it is written.
WC_INLINE void spoil(const Frame& frame, u8* array, u64 bytes) {
  if (__builtin_expect(frame.races, 0)) __builtin_memset(array, frame.thread->poison, bytes);
}

template <u32 kBytes, Access kAccess>
WC_INLINE u64 global(const Frame& frame, u32 site, u64 address, u32 location) {
  const SiteCache& cache = frame.sites[site];
  if (__builtin_expect((address - cache.base >= cache.extent) | ((address & (kBytes - 1)) != 0), 0))
    wc_check_global(frame.thread, address, kBytes, site, kAccess, location);
  return address;
}

// The first `count` bytes of an access that is aligned as if it were whole.
template <u32 kBytes>
WC_INLINE u64 part_of_global(const Frame& frame, u32 site, u64 address, u32 count, u32 location) {
  const bool aligned = (address & (kBytes - 1)) == 0;
  wc_check_global(frame.thread, address, aligned ? count : kBytes, site, Access::kRead, location);
  return address;
}

// Inside a variable, as the translator knows: only race mode wants to hear of it.
template <u32 kBytes, Access kAccess>
WC_INLINE u64 inside(const Frame& frame, u32 site, u64 address, u32 location) {
  if (__builtin_expect(frame.races, 0)) wc_check_global(frame.thread, address, kBytes, site, kAccess, location);
  return address;
}

// Inside a constant variable, as the translator knows.
template <u32 kBytes>
WC_INLINE u64 constant(const Frame& frame, u64 address, u32 location) {
  if (__builtin_expect(frame.races, 0)) wc_constant(frame.thread, address, kBytes, location);
  return address;
}

// An aligned access cannot wrap, so one compare finds negative offsets too.
template <u32 kBytes, Access kAccess>
WC_INLINE u64 shared(const Frame& frame, u64 offset, u32 location) {
  if (__builtin_expect((offset + (kBytes - 1) >= frame.shared_bytes) | ((offset & (kBytes - 1)) != 0), 0))
    wc_bad_shared(frame.thread, u32(offset), kBytes, kAccess, location);
  if (__builtin_expect(frame.races, 0))
    wc_shadow_shared(frame.thread, u32(offset), kBytes, kAccess, location);
  return frame.shared + offset;
}

// The same for an address that derives from the array of `size` bytes at `start`.
template <u32 kBytes, Access kAccess>
WC_INLINE u64 shared_array(const Frame& frame, u64 start, u64 size, u64 offset, u32 location) {
  const u64 last = size < kBytes ? 0 : size - kBytes;
  if (__builtin_expect((size < kBytes) | (offset - start > last) | ((offset & (kBytes - 1)) != 0), 0))
    wc_bad_shared_array(frame.thread, u32(start), u32(size), u32(offset), kBytes, kAccess, location);
  if (__builtin_expect(frame.races, 0))
    wc_shadow_shared(frame.thread, u32(offset), kBytes, kAccess, location);
  return frame.shared + offset;
}

template <u32 kBytes, Access kAccess>
WC_INLINE u64 local(const Frame& frame, u64 base, u32 size_bytes, u64 address, u32 location) {
  const u64 offset = address - base;
  if (__builtin_expect((offset + (kBytes - 1) >= size_bytes) | ((offset & (kBytes - 1)) != 0), 0))
    wc_bad_local(frame.thread, offset, size_bytes, kBytes, kAccess, false, location);
  return address;
}

// An array that an address in a register may lie in.
struct Region {
  u64 base;
  u64 bytes;
};

// `parameter` says what they are, for the message: parameters, or local arrays.
template <u32 kBytes, Access kAccess, u32 kCount>
WC_INLINE u64 within(const Frame& frame, const Region (&regions)[kCount], bool parameter, u64 address, u32 location) {
  const Region* nearest = &regions[0];
  u64 distance = ~u64{0};
  for (const Region& region : regions) {
    const u64 offset = address - region.base;
    if (offset + (kBytes - 1) < region.bytes && (offset & (kBytes - 1)) == 0) return address;
    const u64 off_by = offset < region.bytes ? 0 : s64(offset) < 0 ? -offset : offset - region.bytes;
    if (off_by < distance) distance = off_by, nearest = &region;
  }
  wc_bad_local(frame.thread, address - nearest->base, u32(nearest->bytes), kBytes, kAccess, parameter, location);
}

// Like `within`, in a function: its callers may have passed addresses of their local arrays.
template <u32 kBytes, Access kAccess, u32 kCount>
WC_INLINE u64 within_callers(const Frame& frame, const Region (&regions)[kCount], u64 address, u32 location) {
  for (const Region& region : regions) {
    const u64 offset = address - region.base;
    if (offset + (kBytes - 1) < region.bytes && (offset & (kBytes - 1)) == 0) return address;
  }
  wc_check_local(frame.thread, address, kBytes, kAccess, location);
  return address;
}

WC_INLINE bool is_shared(const Frame& frame, u64 address) { return address - frame.shared < frame.shared_bytes; }

template <u32 kBytes, Access kAccess>
WC_INLINE u64 generic(const Frame& frame, u32 site, u64 address, u32 location) {
  if (is_shared(frame, address)) return shared<kBytes, kAccess>(frame, address - frame.shared, location);
  return global<kBytes, kAccess>(frame, site, address, location);
}

template <class T>
WC_INLINE T load(u64 address) {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}
template <class T>
WC_INLINE void store(u64 address, T value) {
  __builtin_memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}

// Race mode: the next read may find bytes of the mask `allowed` that nothing has written, as padding is.
WC_INLINE void allow_unset(const Frame& frame, u32 allowed) {
  if (__builtin_expect(frame.races, 0)) frame.thread->allowed_unset = allowed, frame.thread->unset = 0;
}
// Which it found.
WC_INLINE u32 unset_bytes(const Frame& frame) {
  if (__builtin_expect(!frame.races, 1)) return 0;
  frame.thread->allowed_unset = 0;
  return frame.thread->unset;
}
// What was just stored at the checked address `at` is a copy of such bytes.
WC_INLINE void leave_unset(const Frame& frame, u64 at, u32 mask) {
  if (__builtin_expect(frame.races && mask, 0)) wc_leave_unset(frame.thread, at, mask);
}

WC_INLINE void copy_bytes(u8* target, u64 source, u32 count) {
  __builtin_memcpy(target, reinterpret_cast<const void*>(source), count);
}
// The target of an indirect call; what a wild pointer does is up to the processor, but null is common.
WC_INLINE void check_callee(Thread* thread, u64 function, u32 location) {
  if (__builtin_expect(function == 0, 0)) wc_unsupported(thread, "call through a null function pointer", location);
}

// Accesses that other OS threads may race with on purpose: volatile, relaxed, acquire, release.
template <class T>
WC_INLINE T load_atomic(u64 address) {
  if constexpr (sizeof(T) > 8) {
    return load<T>(address);
  } else {
    return bits<T>(__atomic_load_n(reinterpret_cast<const Unsigned<T>*>(address), __ATOMIC_ACQUIRE));
  }
}
template <class T>
WC_INLINE void store_atomic(u64 address, T value) {
  if constexpr (sizeof(T) > 8) {
    store<T>(address, value);
  } else {
    __atomic_store_n(reinterpret_cast<Unsigned<T>*>(address), bits<Unsigned<T>>(value), __ATOMIC_RELEASE);
  }
}

// Race mode: the acquire that an operation carries.
WC_INLINE void acquire(const Frame& frame) {
  if (__builtin_expect(frame.races, 0)) wc_acquire(frame.thread);
}

// A block runs on one OS thread, so only wider scopes need a real fence.
WC_INLINE void fence(const Frame& frame, bool within_block) {
  if (!within_block) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(frame.races, 0)) wc_fence(frame.thread, within_block);
}

// A thread that polls must let others run. 64 polls are cheap; the yield is what makes progress.
constexpr u32 kPatience = 4096, kAgain = kPatience / 64;
WC_INLINE void wait_a_while(Thread* thread, u32 waited) {
  if (__builtin_expect((thread->spin += waited) > kPatience, 0)) {
    thread->spin = 0;
    wc_yield(thread);
  }
}
// After a failed atomic.
WC_INLINE void spin(Thread* thread) { wait_a_while(thread, kAgain); }
// After an atomic operation that changed something.
WC_INLINE void progress(Thread* thread) { thread->waited = 0; }
// Before a polled read. One of the same place again is a sign that the thread waits. What others do
// must not depend on it: a volatile access is no barrier.
WC_INLINE void poll(Thread* thread, u64 address) {
  if (address != thread->polled) thread->waited = 0;
  wait_a_while(thread, address == thread->polled ? kAgain : 1);
  thread->polled = address;
}

}  // namespace warpcourt::cpu
