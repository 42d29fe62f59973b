// Copies and fills with their checks: device pointers must be live and large enough. A GPU with unified addressing
// knows what each pointer is: it takes device memory where the direction says host, and refuses pageable host memory
// where it says device (seen on an H200 with CUDA 13.0, for each direction and kind of memory).
#include "copies.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "counters.h"
#include "cuda_error.h"
#include "devices.h"
#include "diagnostics.h"
#include "engine.h"
#include "faults.h"
#include "host_trace.h"
#include "link_time.h"
#include "memory.h"
#include "pageable_copies.h"
#include "relays.h"
#include "signals.h"
#include "stream_capture.h"
#include "streams.h"

namespace warpcourt::cpu {
namespace {

u64 span(const Place& place, const Extent& extent) {
  if (!extent.width || !extent.height || !extent.depth) return 0;
  return (extent.depth - 1) * place.slice + (extent.height - 1) * place.pitch + extent.width;
}

enum class Side { kHost, kDevice, kEither };

Side side_of(cudaMemcpyKind kind, bool destination) {
  switch (kind) {
    case cudaMemcpyHostToHost: return Side::kHost;
    case cudaMemcpyHostToDevice: return destination ? Side::kDevice : Side::kHost;
    case cudaMemcpyDeviceToHost: return destination ? Side::kHost : Side::kDevice;
    case cudaMemcpyDeviceToDevice: return Side::kDevice;
    default: return Side::kEither;
  }
}

// Why `bytes` at `pointer` cannot be that side of a copy, or "".
std::string objection(const void* pointer, u64 bytes, Side side, const char* role) {
  const u64 address = reinterpret_cast<u64>(pointer);
  const std::string the_role = std::string("the ") + role;
  if (!pointer) return the_role + " is a null pointer. If it comes from an allocation, look at what the allocation returned";
  const std::optional<Allocation> range = nearest_allocation(address);
  const bool inside = range && range->contains(address, 0);
  const bool pageable = !inside || range->kind == MemoryKind::kPageable;
  if (!inside && in_arena(address)) return the_role + " lies outside every allocation";
  if (side == Side::kDevice && pageable) return the_role + " is host memory, but the direction says device";
  const bool locked = inside && (range->kind == MemoryKind::kPinned || range->kind == MemoryKind::kRegistered);
  if (!inside || (locked && (!range->argument || range->kind == MemoryKind::kRegistered))) return "";
  if (range->freed) return in_arena(address) ? the_role + " is freed memory, " + range->text() : "";
  const u64 room = range->base + range->bytes - address;
  if (bytes > room) {
    return the_role + " has room for " + std::to_string(room) + " bytes from there (" + range->text() + "), not " +
           std::to_string(bytes) + ". Sizes are in bytes: count * sizeof(type)";
  }
  return "";
}

// Says which side of a copy is device memory, though the direction says host. The copy is done as on a GPU.
void warn_of_direction(const char* call, const void* pointer, Side side, const char* role) {
  const u64 address = reinterpret_cast<u64>(pointer);
  if (side != Side::kHost || !in_arena(address)) return;
  report({Severity::kWarning, "copy_direction",
          std::string(call) + ": the " + role + " is device memory (" + nearest_allocation(address)->text() +
              "), but the direction says host. CUDA goes by the pointers here; state the direction that you mean, or " +
              "cudaMemcpyDefault.",
          {}});
}

template <class Row>
void for_rows(const Extent& extent, Row row) {
  for (u64 z = 0; z < extent.depth; ++z) {
    for (u64 y = 0; y < extent.height; ++y) row(z, y);
  }
}

void move(const char* call, const Place& to, const Place& from, const Extent& extent) {
  DeviceOpen open;
  InApiCall in_call(call);
  for_rows(extent, [&](u64 z, u64 y) {
    std::memmove(to.base + z * to.slice + y * to.pitch, from.base + z * from.slice + y * from.pitch, extent.width);
  });
  mark_initialised(reinterpret_cast<u64>(to.base), span(to, extent));
}

// What the order of calls depends on.
enum class Memory { kDevice, kManaged, kLocked, kPageable };

Memory memory_at(const void* pointer) {
  const std::optional<Allocation> range = live_allocation(reinterpret_cast<u64>(pointer));
  if (!range) return Memory::kPageable;
  switch (range->kind) {
    case MemoryKind::kManaged: return Memory::kManaged;
    case MemoryKind::kPinned:
    case MemoryKind::kRegistered: return Memory::kLocked;
    case MemoryKind::kPageable: return Memory::kPageable;
    default: return Memory::kDevice;
  }
}

bool on_device(Memory memory) { return memory == Memory::kDevice || memory == Memory::kManaged; }

const char* name_of(Memory memory) { return on_device(memory) ? "device" : "host"; }

// The devices of the two sides, where each is memory of a device of its own.
struct Peers {
  int to = 0, from = 0;
  bool apart() const { return to != from; }
  u32 mask() const { return apart() ? 1u << to | 1u << from : 0; }
  bool direct() const { return can_access(to, from) || can_access(from, to); }
};

Peers peers(const Place& to, const Place& from) {
  if (device_count() == 1) return {};
  const std::optional<Allocation> target = live_allocation(reinterpret_cast<u64>(to.base));
  const std::optional<Allocation> origin = live_allocation(reinterpret_cast<u64>(from.base));
  const auto owned = [](const std::optional<Allocation>& range) { return range && range->kind == MemoryKind::kDevice; };
  return owned(target) && owned(origin) ? Peers{target->device, origin->device} : Peers{};
}

// Adds the rows of a side to what a copy or fill touches. Nothing is known of pageable memory.
void add_rows(Footprint& touched, Use use, const Place& place, const Extent& extent) {
  constexpr u64 kMaxRows = u64{1} << 16;
  if (extent.height * extent.depth > kMaxRows || memory_at(place.base) == Memory::kPageable) return;
  for_rows(extent, [&](u64 z, u64 y) {
    const u64 begin = reinterpret_cast<u64>(place.base) + z * place.slice + y * place.pitch;
    touched.add(use, {begin, begin + extent.width});
  });
}

// As CUDA's manual says under "API synchronization behavior".
bool host_waits(Memory to, Memory from, bool synchronous) {
  if (synchronous) return to != Memory::kDevice || from != Memory::kDevice;
  const auto is_host = [](Memory memory) { return memory == Memory::kLocked || memory == Memory::kPageable; };
  return to == Memory::kPageable || (is_host(to) && is_host(from));
}

// What the device moves in its own memory.
void count_moved(const Place& place, const Extent& extent) {
  for (u64 z = 0; z < extent.depth; ++z) {
    count_rows(reinterpret_cast<u64>(place.base) + z * place.slice, extent.width, extent.height, place.pitch);
  }
}

void trace(const char* call, const Place& to, const Place& from, const Extent& extent, bool synchronous) {
  const Memory target = memory_at(to.base), origin = memory_at(from.base);
  const u64 bytes = extent.width * extent.height * extent.depth;
  if (on_device(target) && on_device(origin)) {
    count_moved(to, extent);
    count_moved(from, extent);
  }
  if (on_device(target) != on_device(origin)) link_time().copy(on_device(target), bytes);
  if (const Peers devices = peers(to, from); devices.apart()) {
    if (devices.direct()) {
      link_time().copy_between(devices.from, devices.to, bytes);
    } else {
      link_time().copy_through_host(bytes);
    }
    host_trace().count(HostEvent::kCopyBetweenDevices, call);
    host_trace().count(HostEvent::kByteBetweenDevices, call, bytes);
    if (!devices.direct()) host_trace().count(HostEvent::kStagedByte, call, bytes);
  } else if (on_device(target)) {
    host_trace().count(on_device(origin) ? HostEvent::kCopyOnDevice : HostEvent::kCopyToDevice, call);
    if (!on_device(origin)) host_trace().count(HostEvent::kByteToDevice, call, bytes);
  } else if (on_device(origin)) {
    host_trace().count(HostEvent::kCopyToHost, call);
    host_trace().count(HostEvent::kByteToHost, call, bytes);
  }
  const bool pageable = target == Memory::kPageable || origin == Memory::kPageable;
  if (pageable && on_device(target) != on_device(origin)) host_trace().count(HostEvent::kPageableCopy, call);
  if (host_waits(target, origin, synchronous)) host_trace().count(HostEvent::kSynchronisation, call);
}

// A copy between the device and pageable memory, for the note that pinned memory would be faster.
void count_pageable(const char* call, const Place& to, const Place& from, const Extent& extent, PageableCopies::How how) {
  const Memory target = memory_at(to.base), origin = memory_at(from.base);
  if (on_device(target) == on_device(origin) || (target != Memory::kPageable && origin != Memory::kPageable)) return;
  const bool to_device = on_device(target);
  const bool own = !live_allocation(reinterpret_cast<u64>(to_device ? from.base : to.base));
  pageable_copies().count(call, to_device, how, own, extent.width * extent.height * extent.depth);
}

Work work_of(const char* call, const Place& to, const Place& from, const Extent& extent, bool synchronous) {
  return [=] {
    if (engine().options.summed) trace(call, to, from, extent, synchronous);
    move(call, to, from, extent);
    const bool to_device = on_device(memory_at(to.base));
    if (engine().options.summed && to_device != on_device(memory_at(from.base))) relays().count(to_device, to, extent);
    return cudaSuccess;
  };
}

// The same from a copy of the source. CUDA reads pageable memory before the call returns.
Work kept_work_of(const char* call, const Place& to, Place from, const Extent& extent, bool synchronous) {
  InApiCall in_call(call);
  const auto kept = std::make_shared<std::vector<u8>>(from.base, from.base + span(from, extent));
  from.base = kept->data();
  return [kept, work = work_of(call, to, from, extent, synchronous)] { return work(); };
}

}  // namespace

cudaError_t copy(const char* call, Place to, Place from, Extent extent, cudaMemcpyKind kind, In in) {
  const u64 to_bytes = span(to, extent), from_bytes = span(from, extent);
  if (to_bytes == 0) return cudaSuccess;
  if (extent.height > 1 && (extent.width > to.pitch || extent.width > from.pitch)) {
    return refuse(cudaErrorInvalidPitchValue, std::string(call) + ": the width exceeds a pitch; both are in bytes");
  }
  std::string why_not = objection(to.base, to_bytes, side_of(kind, true), "destination");
  if (why_not.empty()) why_not = objection(from.base, from_bytes, side_of(kind, false), "source");
  if (!why_not.empty()) return refuse(cudaErrorInvalidValue, std::string(call) + ": " + why_not);
  const bool one_row = extent.height == 1 && extent.depth == 1;  // rows of several may alternate
  if (one_row && to.base < from.base + from_bytes && from.base < to.base + to_bytes) {
    return refuse(cudaErrorInvalidValue,
                  std::string(call) + ": source and destination overlap, so the result is undefined. Copy through a third array");
  }
  warn_of_direction(call, to.base, side_of(kind, true), "destination");
  warn_of_direction(call, from.base, side_of(kind, false), "source");
  using How = PageableCopies::How;
  const bool captured = captures(in.stream);
  if (engine().options.counted && !captured) {
    count_pageable(call, to, from, extent, in.waits ? How::kSynchronous : How::kAsynchronous);
  }
  const auto describe = [=] {
    const Memory target = memory_at(to.base), origin = memory_at(from.base);
    Description description{std::string(call) + " (" + name_of(origin) + " to " + name_of(target) + ')'};
    add_rows(description.touched, Use::kWrites, to, extent);
    add_rows(description.touched, Use::kReads, from, extent);
    description.touched.close();
    description.host_waits = host_waits(target, origin, in.waits);
    if (!in.stream || in.stream == cudaStreamLegacy) description.devices = peers(to, from).mask();
    if (origin == Memory::kPageable) description.keep = [=] { return kept_work_of(call, to, from, extent, in.waits); };
    return description;
  };
  const Work work = work_of(call, to, from, extent, in.waits);
  if (!captured) return submit(in.stream, {work, describe});
  const auto of_graph = [=] {
    if (engine().options.counted) count_pageable(call, to, from, extent, How::kInGraph);
    return work();
  };
  return submit(in.stream, {of_graph, describe});
}

cudaError_t fill(const char* call, Place to, Extent extent, int value, In in) {
  const u64 bytes = span(to, extent);
  if (bytes == 0) return cudaSuccess;
  const std::string why_not = objection(to.base, bytes, Side::kDevice, "destination");
  if (!why_not.empty()) return refuse(cudaErrorInvalidValue, std::string(call) + ": " + why_not);
  const auto work = [=] {
    if (engine().options.summed) count_moved(to, extent);
    if (in.waits && memory_at(to.base) != Memory::kDevice) host_trace().count(HostEvent::kSynchronisation, call);
    DeviceOpen open;
    for_rows(extent, [&](u64 z, u64 y) { std::memset(to.base + z * to.slice + y * to.pitch, value, extent.width); });
    mark_initialised(reinterpret_cast<u64>(to.base), bytes);
    if (extent.height == 1 && extent.depth == 1) note_fill(reinterpret_cast<u64>(to.base), bytes);
    return cudaSuccess;
  };
  const auto describe = [=] {
    Description description{call};
    add_rows(description.touched, Use::kWrites, to, extent);
    description.touched.close();
    description.host_waits = in.waits && memory_at(to.base) != Memory::kDevice;
    return description;
  };
  return submit(in.stream, {work, describe});
}

}  // namespace warpcourt::cpu
