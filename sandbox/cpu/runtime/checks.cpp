// The slow path of checked accesses: decides, fills the site's cache, or says what is wrong.
#include <sys/mman.h>
#include <unistd.h>

#include <bit>

#include "counters.h"
#include "diagnostics.h"
#include "memory.h"
#include "races.h"
#include "engine.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kNullBytes = 64 << 10;
constexpr u64 kNearBytes = u64{1} << 32;  // farther than that is not an index gone wrong

std::string action(Access access, u32 bytes) {
  const std::string size = std::to_string(bytes) + (bytes == 1 ? " byte " : " bytes ");
  if (!writes(access)) return "read of " + size + "from ";
  if (!reads(access)) return "write of " + size + "to ";
  return "atomic operation of " + size + "on ";
}

bool is_mapped(u64 address) {
  const u64 page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(address / page * page), page, &resident) == 0;
}

struct Fault {
  const ThreadRecord& thread;
  u32 location;

  [[noreturn]] void end(const char* kind, const std::string& what, const std::string& advice,
                        const std::string& array = {}) const {
    fail({Severity::kError, kind, what + place(thread, location) + ". " + advice, where(thread, location), array},
         wire::kIllegalAccess);
  }
};

[[noreturn]] void bad_global(const Fault& fault, u64 address, u32 bytes, Access access) {
  const std::string doing = action(access, bytes);
  if (address < kNullBytes) {
    fault.end("null_pointer", doing + "address " + hexadecimal(address) + ": a null pointer",
              "Pass a pointer from cudaMalloc, and check that the allocation succeeded.");
  }
  const std::optional<Allocation> near = nearest_allocation(address);
  if (near && near->freed && near->contains(address, 0)) {
    fault.end("use_after_free", doing + "freed memory: " + near->element(address, bytes) + " of " + near->text(),
              "Free it only after the last kernel that uses it.");
  }
  if (near && in_arena(address)) {
    const s64 distance = static_cast<s64>(address - near->base);
    if (distance > -static_cast<s64>(kNearBytes) && distance < static_cast<s64>(near->bytes + kNearBytes)) {
      fault.end("out_of_bounds", "out-of-bounds " + doing + near->text() + ": " + near->element(address, bytes),
                distance < 0 ? "The index is negative." : "Guard the access with if (i < n).", near->name);
    }
  }
  if (!in_arena(address) && is_mapped(address)) {
    fault.end("host_pointer", doing + "host memory at " + hexadecimal(address),
              "Kernels reach device memory only: cudaMalloc a buffer and cudaMemcpy into it.");
  }
  fault.end("wild_pointer", doing + "address " + hexadecimal(address) + ", which belongs to no allocation",
            "The pointer or its index is uninitialised or overflowed.");
}

bool on_own_stack(const ThreadRecord& thread, u64 address, u32 bytes) {
  return thread.stack.contains(address) && thread.stack.contains(address + bytes - 1);
}

void check_initialised(const ThreadRecord& thread, const Range& range, u64 address, u32 bytes, Access access,
                       u32 location) {
  u8* flags = range.initialised + (address - range.base);
  if (reads(access)) {
    for (u32 i = 0; i < bytes; ++i) {
      if (flags[i]) continue;
      const std::optional<Allocation> found = live_allocation(address);
      report({Severity::kWarning, "uninitialised",
              "read of uninitialised device memory: " + found->element(address, bytes) + " of " +
                  found->text() + place(thread, location) + ". cudaMalloc does not clear memory; use cudaMemset.",
              where(thread, location)});
      break;
    }
  }
  if (writes(access)) {
    for (u32 i = 0; i < bytes; ++i) flags[i] = 1;
  }
}

}  // namespace

extern "C" void wc_check_global(Thread* caller, u64 address, u32 bytes, u32 site, Access access, u32 location) {
  ThreadRecord& thread = record(caller);
  if (std::has_single_bit(bytes) && (address & (bytes - 1))) {
    const std::optional<Allocation> near = nearest_allocation(address);
    const std::string target = near && near->contains(address, 0)
                                   ? near->text() + " + " + std::to_string(address - near->base) + " bytes"
                                   : "address " + hexadecimal(address);
    Fault{thread, location}.end("misaligned", "misaligned " + action(access, bytes) + target,
                                "The address must be a multiple of " + std::to_string(bytes) + ".");
  }
  SiteCache& cache = caller->sites[site];
  if (on_own_stack(thread, address, bytes)) {
    cache = {reinterpret_cast<u64>(thread.stack.low), kStackBytes - bytes + 1};
    return;
  }
  Range range;
  if (caller->races) {
    // The cache stays empty, so that every access comes by here.
    take_turn(thread, access, location);
    if (!thread.block->worker->find(site, address, bytes, range)) bad_global({thread, location}, address, bytes, access);
    races().global(thread, address, bytes, access, location);
    if (engine().options.counted) count_access(thread, false, address, bytes, access, site, location);
    if (range.initialised) check_initialised(thread, range, address, bytes, access, location);
    return;
  }
  if (!find_range(address, bytes, range)) bad_global({thread, location}, address, bytes, access);
  cache = {range.base, range.bytes - bytes + 1};
}

extern "C" void wc_bad_shared(Thread* caller, u32 offset, u32 bytes, Access access, u32 location) {
  const Fault fault{record(caller), location};
  const std::string doing = action(access, bytes) + "shared memory: ";
  const u32 size = caller->shared_bytes;
  if (offset <= size && bytes <= size - offset) {
    fault.end("misaligned", "misaligned " + doing + "offset " + std::to_string(offset),
              "The offset must be a multiple of " + std::to_string(bytes) + ".");
  }
  const std::string what = "out-of-bounds " + doing + "byte " + std::to_string(static_cast<s32>(offset)) + " of " +
                           std::to_string(size);
  if (caller->dynamic_bytes == 0 && offset >= caller->dynamic_offset && offset - caller->dynamic_offset < (1u << 20)) {
    fault.end("out_of_bounds", what,
              "The block has no dynamic shared memory; an extern __shared__ array needs its size as the third "
              "launch parameter.");
  }
  fault.end("out_of_bounds", what, "Compare the index with the size of the __shared__ array.");
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
