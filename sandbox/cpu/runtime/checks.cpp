// The slow path of checked accesses: decides, fills the site's cache, or says what is wrong.
#include <bit>
#include <cstring>

#include "counters.h"
#include "device_runtime.h"
#include "diagnostics.h"
#include "faults.h"
#include "memory.h"
#include "races.h"
#include "requests.h"
#include "engine.h"
#include "scheduler.h"
#include "shared_names.h"

namespace warpcourt::cpu {
namespace {

struct Fault {
  const ThreadRecord& thread;
  u32 location;

  [[noreturn]] void end(const char* kind, const std::string& what, const std::string& advice,
                        const std::string& array = {}) const {
    fail({Severity::kError, kind, what + place(thread, location) + ". " + advice, where(thread, location), array},
         wire::kIllegalAccess);
  }
};

bool on_own_stack(const ThreadRecord& thread, u64 address, u32 bytes) {
  return thread.stack.contains(address) && thread.stack.contains(address + bytes - 1);
}

Culprit culprit(const ThreadRecord& thread, u32 location) {
  return {place(thread, location), where(thread, location)};
}

// Which of the bytes nothing has written.
u32 unset_bytes(const Range& range, u64 address, u32 bytes) {
  if (first_uninitialised(range, address, bytes) == bytes) return 0;
  const u8* const flags = range.initialised + (address - range.base);
  u32 unset = 0;
  for (u32 byte = 0; byte < bytes; ++byte) unset |= u32{!flags[byte]} << byte % 32;
  return unset;
}

void check_initialised(ThreadRecord& thread, const Range& range, u64 address, u32 bytes, Access access,
                       u32 location) {
  const u32 unset = reads(access) ? unset_bytes(range, address, bytes) : 0;
  if (unset & ~thread.allowed_unset) report_uninitialised(culprit(thread, location), address, bytes);
  if (unset & thread.allowed_unset) {
    thread.unset = unset & thread.allowed_unset;
    thread.unset_read = {address, bytes, location, false};
  }
  if (writes(access)) std::memset(range.initialised + (address - range.base), 1, bytes);
}

}  // namespace

extern "C" void wc_leave_unset(Thread* caller, u64 at, u32 mask) {
  ThreadRecord& thread = record(caller);
  const u64 offset = at - reinterpret_cast<u64>(caller->shared);
  if (offset < caller->shared_bytes) return races().leave_unset(*thread.block, static_cast<u32>(offset), mask);
  const std::optional<Allocation> target = live_allocation(at);
  if (!target) return;
  for (u32 byte = 0; target->initialised && mask >> byte; ++byte) {
    if (mask >> byte & 1) target->initialised[at - target->base + byte] = 0;
  }
  if (!target->argument) return;
  const UnsetRead& read = thread.unset_read;  // the referee sees every byte of an argument
  if (read.shared) return races().report_uninitialised(thread, static_cast<u32>(read.address), read.bytes, read.location);
  report_uninitialised(culprit(thread, read.location), read.address, read.bytes);
}

extern "C" void wc_check_global(Thread* caller, u64 address, u32 bytes, u32 site, Access access, u32 location) {
  ThreadRecord& thread = record(caller);
  thread.last_site = site;
  if (std::has_single_bit(bytes) && (address & (bytes - 1))) {
    const std::optional<Allocation> near = nearest_allocation(address);
    const std::string target = near && near->contains(address, 0)
                                   ? near->text() + " + " + std::to_string(address - near->base) + " bytes"
                                   : "address " + hexadecimal(address);
    Fault{thread, location}.end("misaligned", "misaligned " + action(access, bytes) + target,
                                "The address must be a multiple of " + std::to_string(bytes) + ".");
  }
  if (thread.child && thread.child->holds(address, bytes)) return;
  SiteCache& cache = caller->sites[site];
  if (on_own_stack(thread, address, bytes)) {
    cache = {reinterpret_cast<u64>(thread.stack.low), thread.stack.bytes() - bytes + 1};
    return;
  }
  Range range;
  if (caller->races) {
    // The cache stays empty, so that every access comes by here.
    take_turn(thread, access, location);
    if (!thread.block->worker->find(site, address, bytes, range)) bad_global(culprit(thread, location), address, bytes, access);
    races().global(thread, address, bytes, access, location);
    if (engine().options.counted) {
      count_access(thread, {site, location, bytes, access, Space::kGlobal, range.on_host, range.on_peer},
                   address);
    }
    if (range.initialised) check_initialised(thread, range, address, bytes, access, location);
    return;
  }
  if (!find_range(address, bytes, range)) bad_global(culprit(thread, location), address, bytes, access);
  cache = {range.base, range.bytes - bytes + 1};
}

extern "C" void wc_bad_shared(Thread* caller, u32 offset, u32 bytes, Access access, u32 location) {
  const Fault fault{record(caller), location};
  const std::string doing = action(access, bytes);
  const u32 size = caller->shared_bytes;
  if (offset <= size && bytes <= size - offset) {
    fault.end("misaligned", "misaligned " + doing + "shared memory: offset " + std::to_string(offset),
              "The offset must be a multiple of " + std::to_string(bytes) + ".");
  }
  const std::string what = "out-of-bounds " + doing + shared_text(fault.thread, offset, bytes) +
                           ", outside the block's " + std::to_string(size) + " bytes of shared memory";
  const bool past_static = offset >= caller->dynamic_offset && offset - caller->dynamic_offset < (1u << 20);
  if (past_static && may_have_dynamic_array(fault.thread)) {
    if (caller->dynamic_bytes == 0) {
      fault.end("out_of_bounds", what,
                "The launch gives the block no dynamic shared memory. Pass the bytes of the extern __shared__ array as "
                "the third launch parameter.");
    }
    fault.end("out_of_bounds", what,
              "The launch gives the block " + count(caller->dynamic_bytes, "byte") +
                  " of dynamic shared memory. Compare the index with this size. The third launch parameter is in bytes: "
                  "count * sizeof(type).");
  }
  fault.end("out_of_bounds", what, "Compare the index with the size of the __shared__ array.");
}

extern "C" void wc_bad_shared_array(Thread* caller, u32 start, u32 array_bytes, u32 offset, u32 bytes, Access access,
                                    u32 location) {
  const u32 size = caller->shared_bytes;
  const bool in_array = offset - start < array_bytes && bytes <= array_bytes - (offset - start);
  if (in_array || offset > size || bytes > size - offset) wc_bad_shared(caller, offset, bytes, access, location);
  const Fault fault{record(caller), location};
  fault.end("out_of_bounds",
            "out-of-bounds " + action(access, bytes) + shared_text_from(fault.thread, start, offset, bytes) +
                ", which is in " + shared_text(fault.thread, offset, bytes),
            "Compare the index with the size of the __shared__ array.");
}

extern "C" void wc_bad_leading_dimension(Thread* caller, u32 stride, u32 bytes, u32 unit, u32 location) {
  Fault{record(caller), location}.end(
      "misaligned",
      "misaligned rows or columns of a matrix: the leading dimension of " + count(stride, "element") + " is " +
          std::to_string(stride * bytes) + " bytes",
      "The leading dimension must be a multiple of " + count(unit / bytes, "element") + " (" + std::to_string(unit) +
          " bytes).");
}

extern "C" void wc_check_local(Thread* caller, u64 address, u32 bytes, Access access, u32 location) {
  const ThreadRecord& thread = record(caller);
  const bool misaligned = std::has_single_bit(bytes) && (address & (bytes - 1));
  if (!misaligned && on_own_stack(thread, address, bytes)) return;
  const Fault fault{thread, location};
  const std::string doing = action(access, bytes) + "a local array";
  if (misaligned) {
    fault.end("misaligned", "misaligned " + doing, "The address must be a multiple of " + std::to_string(bytes) + ".");
  }
  fault.end("out_of_bounds", "out-of-bounds " + doing + " that was passed to this function",
            "Compare the index with the size of the array.");
}

extern "C" void wc_bad_local(Thread* caller, u64 offset, u32 array_bytes, u32 bytes, Access access, bool parameter,
                             u32 location) {
  const Fault fault{record(caller), location};
  const std::string doing = action(access, bytes) + (parameter ? "parameters: " : "a local array: ");
  if (offset <= array_bytes && bytes <= array_bytes - offset) {
    fault.end("misaligned", "misaligned " + doing + "byte " + std::to_string(offset),
              "The offset must be a multiple of " + std::to_string(bytes) + ".");
  }
  fault.end("out_of_bounds",
            "out-of-bounds " + doing + "byte " + std::to_string(static_cast<s64>(offset)) + " of " +
                std::to_string(array_bytes),
            parameter ? "Compare the offset with the size of the parameters." :
                        "Compare the index with the size of the array.");
}

}  // namespace warpcourt::cpu
