// What device code calls: malloc and free, assert, trap and clocks. See device_runtime.cpp for launches.
#include <chrono>
#include <cstring>
#include <unordered_set>

#include "device_limits.h"
#include "devices.h"
#include "diagnostics.h"
#include "memory.h"
#include "races.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kMaxText = 1024;
constexpr u32 kGridWorkspaceBytes = 4096;
alignas(64) u8 grid_workspace[kGridWorkspaceBytes];

template <class T>
T parameter(const u8* parameters, u32 offset) {
  T value;
  std::memcpy(&value, parameters + offset, sizeof value);
  return value;
}

// A string in device memory, cut where its allocation ends.
std::string string_at(u64 address) {
  Range range;
  if (!find_range(address, 1, range)) return "?";
  const u64 limit = std::min(kMaxText, range.base + range.bytes - address);
  const char* start = reinterpret_cast<const char*>(address);
  return {start, strnlen(start, limit)};
}

}  // namespace

void reset_grid_workspace() {
  static bool registered = false;
  if (!registered) register_memory(grid_workspace, sizeof grid_workspace, MemoryKind::kVariable, "grid barrier");
  registered = true;
  std::memset(grid_workspace, 0, sizeof grid_workspace);
  // cooperative_groups/details: the first word is the size of the workspace.
  const u32 size = sizeof grid_workspace;
  std::memcpy(grid_workspace, &size, sizeof size);
}

extern "C" {

u64 wc_grid_workspace() { return reinterpret_cast<u64>(grid_workspace); }

u64 wc_clock() {
  return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

void wc_malloc(Thread*, const u8* parameters, u8* result, u32) {
  void* memory = allocate_heap(parameter<u64>(parameters, 0));
  std::memcpy(result, &memory, sizeof memory);
}

void wc_free(Thread* caller, const u8* parameters, u32 location) {
  const u64 address = parameter<u64>(parameters, 0);
  if (!address) return;
  if (caller->races) races().settle();
  if (free_memory(reinterpret_cast<void*>(address), false, true) != FreeResult::kFreed) {
    const ThreadRecord& thread = record(caller);
    fail({Severity::kError, "bad_free",
          "free of " + hexadecimal(address) + ", which is not the start of a live allocation of malloc in a kernel" +
              place(thread, location) + ". Free each pointer once.",
          where(thread, location)},
         wire::kIllegalAccess);
  }
  record(caller).block->worker->forget_sites();
}

void wc_assert_fail(Thread* caller, u64 message, u64, u32, u64 function, u32 location) {
  const ThreadRecord& thread = record(caller);
  fail({Severity::kError, "assert",
        "assertion `" + string_at(message) + "' failed in " + string_at(function) + place(thread, location) + '.',
        where(thread, location)},
       wire::kRuntimeError);
}

void wc_trap(Thread* caller, u32 location) {
  const ThreadRecord& thread = record(caller);
  fail({Severity::kError, "trap", "the kernel executed a trap" + place(thread, location) + '.', where(thread, location)},
       wire::kRuntimeError);
}

void wc_no_grid_barrier(Thread* caller, u32 location) {
  const ThreadRecord& thread = record(caller);
  fail({Severity::kError, "trap",
        "grid.sync() in a launch that is not cooperative" + place(thread, location) + ". The grid has no barrier in a launch with "
        "<<<>>>, so the kernel executed a trap. Launch the kernel with cudaLaunchCooperativeKernel.",
        where(thread, location)},
       wire::kRuntimeError);
}

void wc_unsupported(Thread* caller, const char* instruction, u32 location) {
  const ThreadRecord& thread = record(caller);
  fail({Severity::kError, "unsupported",
        std::string("functional mode does not support the instruction ") + instruction + place(thread, location) + '.',
        where(thread, location)},
       wire::kRuntimeError);
}

void wc_divide_by_zero(Thread* caller, u32 location) {
  const ThreadRecord& thread = record(caller);
  report({Severity::kWarning, "division_by_zero",
          "integer division by zero" + place(thread, location) + ". A GPU does not trap; the result is undefined.",
          where(thread, location)});
}

void wc_half_overflow(Thread* caller, u32 location) {
  if (!caller->races) return;  // one OS thread, and few elements
  static std::unordered_set<u32> told;
  if (!told.insert(location).second) return;
  const ThreadRecord& thread = record(caller);
  report({Severity::kNote, "half_overflow",
          "finite numbers gave infinity in float16, whose largest number is 65504" + place(thread, location) +
              ". Compute in float, or scale the numbers first.",
          where(thread, location)});
}

}  // extern "C"

}  // namespace warpcourt::cpu
