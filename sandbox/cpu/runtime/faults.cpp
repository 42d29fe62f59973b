// Says what is wrong with an access to global memory. See faults.h.
#include "faults.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "devices.h"
#include "engine.h"
#include "host_arguments.h"
#include "owned_memory.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kNullBytes = 64 << 10;
constexpr u64 kVariableEdgeBytes = 64;  // in front of a variable: host data may lie there, too
constexpr u64 kNearBytes = u64{1} << 32;  // farther than that is not an index gone wrong

bool is_mapped(u64 address) {
  const u64 page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(address / page * page), page, &resident) == 0;
}

[[noreturn]] void end(const Culprit& by, const char* kind, const std::string& what, const std::string& advice,
                      const std::string& array = {}) {
  fail({Severity::kError, kind, what + by.place + ". " + advice, by.where, array}, wire::kIllegalAccess);
}

// Whether the address is just outside a variable, where only its guard lies or the variable in front of it.
bool at_edge_of_variable(const Allocation& near, u64 address) {
  return near.kind == MemoryKind::kVariable &&
         (address < near.base ? near.base - address <= kVariableEdgeBytes
                              : address - near.base < near.bytes + kVariableGuardBytes);
}

// The bytes of allocations that the last cudaMemset from their start set, where it left some. By base.
std::map<u64, u64>& short_fills() {
  static auto* fills = new std::map<u64, u64>;
  return *fills;
}

std::string fill_advice(const Allocation& of, u64 address, u32 bytes) {
  const auto fill = short_fills().find(of.base);
  if (fill == short_fills().end() || address + bytes <= of.base + fill->second) {
    return ". cudaMalloc does not clear memory; use cudaMemset.";
  }
  u64 first = of.base + fill->second;
  if (of.initialised) {
    while (first < address && of.initialised[first - of.base]) ++first;
  }
  return ". cudaMemset set " + std::to_string(fill->second) + " of its " + std::to_string(of.bytes) + " bytes: " +
         of.element(first, bytes) + " is the first without a value. The last argument of cudaMemset is a number of bytes.";
}

}  // namespace

std::string action(Access access, u32 bytes) {
  const std::string size = std::to_string(bytes) + (bytes == 1 ? " byte " : " bytes ");
  if (!writes(access)) return "read of " + size + "from ";
  if (!reads(access)) return "write of " + size + "to ";
  return "atomic operation of " + size + "on ";
}

std::string advice_on_null() {
  const u64 refused = refused_heap_bytes();
  if (!refused) return "Pass a pointer from cudaMalloc, and check that the allocation succeeded.";
  return "The last malloc in a kernel returned null: it requested " + count(refused, "byte") +
         ", and the heap of all kernels has " + count(heap_limit(), "byte") +
         ". Check its result, or allocate less, or raise the limit with "
         "cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes).";
}

void bad_global(const Culprit& by, u64 address, u32 bytes, Access access) {
  const std::string doing = action(access, bytes);
  if (address < kNullBytes) {
    end(by, "null_pointer", doing + "address " + hexadecimal(address) + ": a null pointer", advice_on_null());
  }
  const std::optional<Allocation> on_host = in_arena(address) ? std::nullopt : host_argument_near(address);
  if (on_host && on_host->kind == MemoryKind::kPageable) {
    end(by, "host_pointer", doing + "pageable host memory: " + on_host->element(address, bytes) + " of " + on_host->text(),
        "Kernels cannot access pageable host memory. Allocate device memory with cudaMalloc, copy the array there "
        "with cudaMemcpy, and pass that pointer.",
        on_host->name);
  }
  const std::optional<Allocation> near = on_host ? on_host : nearest_allocation(address);
  if (near && !near->freed && near->contains(address, bytes) && !near->reachable(executing_device())) {
    const std::string device = std::to_string(executing_device()), owner = std::to_string(near->device);
    end(by, "peer_access",
        doing + "memory of device " + owner + " by device " + device + ", which has no access to it: " +
            near->element(address, bytes) + " of " + near->text(),
        (near->pooled ? "Call cudaMemPoolSetAccess for device " + device + " and the memory pool of device " + owner +
                            " before the launch (cudaDeviceEnablePeerAccess does not apply to memory of a pool)"
                      : "Make device " + device + " current and call cudaDeviceEnablePeerAccess(" + owner +
                            ", 0) before the launch") +
            ", or launch the kernel on device " + owner + ".",
        near->name);
  }
  if (near && near->freed && near->contains(address, 0)) {
    end(by, "use_after_free", doing + "freed memory: " + near->element(address, bytes) + " of " + near->text(),
        "Free it only after the last kernel that uses it.");
  }
  if (is_past_argument(address)) {
    end(by, "wild_pointer", doing + "an argument of the previous call of solve",
        "Arguments are valid only in their own call. Do not keep pointers to them, in a captured graph for example: capture "
        "the graph again in each call.");
  }
  if (near && (in_arena(address) || on_host || at_edge_of_variable(*near, address))) {
    const s64 distance = static_cast<s64>(address - near->base);
    if (distance > -static_cast<s64>(kNearBytes) && distance < static_cast<s64>(near->bytes + kNearBytes)) {
      const u64 count = near->element_count(bytes);
      const std::string last = distance < 0 || !count ? "" : "The last element is " + std::to_string(count - 1) + ". ";
      end(by, "out_of_bounds", "out-of-bounds " + doing + near->text() + ": " + near->elements(address, bytes),
          distance < 0 ? "The index is negative." : last + by.advice, near->name);
    }
  }
  const Owner owner = owner_of(address);
  if (owner == Owner::kThread) {
    end(by, "wild_pointer", doing + "local memory of another thread",
        "A pointer to a local variable or array is valid only in its own thread. Exchange values through shared "
        "memory, or by a shuffle within a warp.");
  }
  if (owner == Owner::kBlock) {
    end(by, "wild_pointer", doing + "shared memory of another block or of an earlier kernel",
        "A pointer to shared memory is valid only in the block that owns it, while that block runs. Exchange values "
        "through global memory.");
  }
  if (!in_arena(address) && is_mapped(address)) {
    end(by, "host_pointer", doing + "host memory at " + hexadecimal(address),
        "Kernels reach device memory only: cudaMalloc a buffer and cudaMemcpy into it.");
  }
  end(by, "wild_pointer", doing + "address " + hexadecimal(address) + ", which belongs to no allocation",
      "The pointer or its index is uninitialised or overflowed.");
}

u64 first_uninitialised(const Range& range, u64 address, u64 bytes) {
  const u8* flags = range.initialised + (address - range.base);
  return static_cast<u64>(std::find(flags, flags + bytes, 0) - flags);
}

void note_fill(u64 base, u64 bytes) {
  const std::optional<Allocation> found = live_allocation(base);
  if (!engine().options.races || !found || found->base != base) return;
  if (bytes < found->bytes) short_fills()[base] = bytes;
  else short_fills().erase(base);
}

void report_uninitialised(const Culprit& by, u64 address, u32 bytes) {
  const std::optional<Allocation> found = live_allocation(address);
  report({Severity::kWarning, "uninitialised",
          "read of uninitialised device memory: " + found->element(address, bytes) + " of " + found->text() + by.place +
              fill_advice(*found, address, bytes),
          by.where});
}

}  // namespace warpcourt::cpu
