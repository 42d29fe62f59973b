// Runs operations of libraries. See library_work.h.
#include "library_work.h"

#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "devices.h"
#include "engine.h"
#include "faults.h"
#include "memory.h"
#include "operations.h"
#include "streams.h"
#include "sums.h"

namespace warpcourt::cpu {
namespace {

std::atomic<u64> handles{0};

Culprit culprit(const Operand& operand) {
  const std::string call = operand.call;
  return {", in " + call + ", argument " + operand.name, {},
          "Compare the sizes, the leading dimension and the stride with the memory that the pointer has."};
}

// The address of the first element of a row that is in no allocation.
u64 first_outside(const Operand& operand, u64 begin) {
  Range range;
  u64 address = begin;
  while (find_range(address, operand.element_bytes, range)) address += operand.element_bytes;
  return address;
}

void touch_row(const Operand& operand, u64 begin, Access access) {
  const u64 bytes = operand.extent.width;
  Range range;
  if (!find_range(begin, bytes, range)) {
    bad_global(culprit(operand), first_outside(operand, begin), operand.element_bytes, access);
  }
  if (!engine().options.races) return;
  if (range.initialised && reads(access)) {
    const u64 first = first_uninitialised(range, begin, bytes);
    const u64 element = first / operand.element_bytes * operand.element_bytes;
    if (first < bytes) report_uninitialised(culprit(operand), begin + element, operand.element_bytes);
  }
  if (range.initialised && writes(access)) std::memset(range.initialised + (begin - range.base), 1, bytes);
  operations().note(begin, static_cast<u32>(bytes), access, 0);
}

}  // namespace

void touch(const Operand& operand, Access access) {
  const Extent& extent = operand.extent;
  if (!extent.width) return;
  for (u64 z = 0; z < extent.depth; ++z) {
    for (u64 y = 0; y < extent.height; ++y) {
      touch_row(operand, reinterpret_cast<u64>(operand.base) + z * operand.slice + y * operand.pitch, access);
    }
  }
}

cudaError_t submit_library_work(const char* call, cudaStream_t stream, std::function<void()> work, bool host_waits) {
  const auto run = [work = std::move(work), device = place_of(stream).device] {
    Executing on(device);
    if (engine().options.counted) tally().start_library_launch();
    DeviceOpen open;
    work();
    return cudaSuccess;
  };
  const auto describe = [=] { return Description{.name = call, .kernel = call, .host_waits = host_waits}; };
  return submit(stream, {run, describe});
}

void count_library_handle(int change) { handles += static_cast<u64>(change); }
u64 live_library_handles() { return handles; }

}  // namespace warpcourt::cpu
