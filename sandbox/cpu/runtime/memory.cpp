// The arena and the registry. See memory.h.
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "devices.h"
#include "engine.h"
#include "host_arguments.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kArenaBytes = u64{1} << 40;
constexpr u64 kSmallestArena = u64{1} << 30;
constexpr u64 kMostPassedOver = u64{1} << 30;
// Distance to the next allocation, in addition to its own size: an index that runs away hits no other allocation.
constexpr u64 kGapBytes = u64{16} << 20;
// The same for allocations by kernels, of which each thread may make one.
constexpr u64 kHeapGapBytes = u64{64} << 10;
constexpr std::size_t kRememberedFrees = 4096;
constexpr u64 kShadowedBytes = u64{16} << 20;

u64 page_bytes() {
  static const u64 bytes = static_cast<u64>(sysconf(_SC_PAGESIZE));
  return bytes;
}

u64 pages(u64 bytes) { return (std::max<u64>(bytes, 1) + page_bytes() - 1) / page_bytes() * page_bytes(); }

struct Mapping {
  u64 base;
  u64 bytes;
};

struct Memory {
  std::shared_mutex mutex;
  std::map<u64, Allocation> ranges;  // by base
  std::vector<Mapping> argument_mappings;
  std::vector<Mapping> past_arguments;  // of the call before
  u64 arena = 0;
  u64 arena_bytes = 0;
  u64 used = 0;    // of the arena, from its start
  bool elsewhere = false;
  u64 in_use[kMostDevices] = {};  // bytes of live allocations, by device
  u64 heap[kMostDevices] = {};    // the part of it that kernels allocated
  u64 heap_limit = kDefaultHeapBytes;
  std::atomic<u64> heap_refused{0};
  u64 held = 0;    // the same with managed ones
  u64 most_held = 0;
  std::size_t freed = 0;
  int open = 0;
  std::atomic<u64> generation{1};

  Memory() {
    for (u64 size = kArenaBytes; size >= kSmallestArena; size /= 4) {
      void* base = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (base == MAP_FAILED) continue;
      arena = reinterpret_cast<u64>(base);
      arena_bytes = size;
      return;
    }
  }

  void protect(u64 base, u64 bytes) const {
    if (bytes) mprotect(reinterpret_cast<void*>(base), bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }

  // Room for `bytes` in the arena, or 0.
  u64 place(u64 bytes, u64 gap_bytes = kGapBytes) {
    const u64 spaced = 2 * bytes + gap_bytes;
    if (spaced > arena_bytes - used) return gap(bytes);
    u64 base = arena + used;
    used += spaced;
    return base;
  }

  // The first gap between live ranges; freed ranges in it are forgotten.
  u64 gap(u64 bytes) {
    u64 free_from = arena;
    for (const auto& [base, range] : ranges) {
      if (range.freed || base < arena || base - arena >= arena_bytes) continue;
      if (base / page_bytes() * page_bytes() - free_from >= bytes) break;
      free_from = std::max(free_from, base / page_bytes() * page_bytes() + pages(range.bytes + base % page_bytes()));
    }
    if (free_from - arena + bytes > arena_bytes) return 0;
    ranges.erase(ranges.lower_bound(free_from), ranges.lower_bound(free_from + bytes));
    return free_from;
  }

  // Room that no live range needs any more goes back to the arena, when a call has ended. The next call gets other room, if
  // it is not too much: a program that keeps a pointer to an argument, in a graph for example, must not be right by luck.
  void trim() {
    const u64 before = used;
    u64 end = arena;
    for (const auto& [base, range] : ranges) {
      if (!range.freed && base - arena < arena_bytes) end = std::max(end, base + range.bytes);
    }
    used = pages(end - arena) * (end != arena);
    elsewhere = !elsewhere;
    if (elsewhere && before <= kMostPassedOver) used = std::max(used, before);
    std::erase_if(ranges, [&](const auto& entry) {
      return entry.second.freed && entry.first - arena < arena_bytes && entry.first >= arena + used;
    });
  }

  void hold(u64 bytes) {
    held += bytes;
    most_held = std::max(most_held, held);
  }

  void forget_oldest_free() {
    if (++freed <= kRememberedFrees) return;
    auto victim = std::find_if(ranges.begin(), ranges.end(), [](const auto& entry) { return entry.second.freed; });
    if (victim != ranges.end()) ranges.erase(victim);
    --freed;
  }
};

// Never destroyed: static destructors of a submission may still free memory.
Memory& memory() {
  static Memory* instance = new Memory;
  return *instance;
}

const char* origin(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kManaged: return "cudaMallocManaged";
    case MemoryKind::kPinned: return "pinned";
    case MemoryKind::kRegistered: return "cudaHostRegister";
    default: return "cudaMalloc";
  }
}

std::map<u64, Allocation>::iterator holder(Memory& m, u64 address) {
  auto next = m.ranges.upper_bound(address);
  return next == m.ranges.begin() ? m.ranges.end() : std::prev(next);
}

}  // namespace

bool Allocation::reachable(int by) const {
  if (by < 0 || kind != MemoryKind::kDevice) return true;
  return pooled ? can_access_pool(by, device) : can_access(by, device);
}

std::string Allocation::text() const {
  if (argument && kind != MemoryKind::kRegistered) return "argument " + name;
  if (is_variable()) return "variable " + name;
  return "the " + std::to_string(bytes) + "-byte " + (heap ? "malloc" : pooled ? "cudaMallocAsync" : origin(kind)) + " allocation";
}

std::string Allocation::element(u64 address, u32 size) const {
  std::string out = "element " + std::to_string(index(address, size)) + " of " + std::to_string(element_count(size));
  if (!element_bytes && size != 1) out += " (of " + std::to_string(size) + " bytes each)";
  return out;
}

std::string Allocation::elements(u64 address, u32 size) const {
  const s64 first = index(address, size), last = index(address + size - 1, size);
  if (!element_bytes || first == last) return element(address, size);
  return "elements " + std::to_string(first) + " to " + std::to_string(last) + " of " + std::to_string(element_count(size));
}

s64 Allocation::index(u64 address, u32 size) const {
  const s64 width = this->width(size);
  const s64 offset = static_cast<s64>(address - base);
  return offset >= 0 ? offset / width : -((-offset + width - 1) / width);
}

DeviceOpen::DeviceOpen() {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  if (m.open++ == 0) m.protect(m.arena, m.used);
}

DeviceOpen::~DeviceOpen() {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  if (--m.open == 0) m.protect(m.arena, m.used);
}

namespace {

void* allocate(u64 bytes, int device, bool heap, bool pooled) {
  Memory& m = memory();
  DeviceOpen open;
  u64 base;
  {
    std::unique_lock lock(m.mutex);
    if (bytes > bytes_of_device() || m.in_use[device] > bytes_of_device() - bytes) return nullptr;
    if (heap && (bytes > m.heap_limit || m.heap[device] > m.heap_limit - bytes)) return nullptr;
    const u64 used = m.used;
    base = m.place(pages(bytes), heap ? kHeapGapBytes : kGapBytes);
    if (!base) return nullptr;
    // With the gap: the kernel has room for some 65,000 stretches of memory that differ in protection.
    if (m.used > used) {
      m.protect(m.arena + used, m.used - used);
    } else {
      m.protect(base, pages(bytes));
    }
    m.in_use[device] += bytes;
    m.heap[device] += heap * bytes;
    m.hold(bytes);
    Allocation range{.base = base, .bytes = bytes, .heap = heap, .pooled = pooled, .device = device};
    if (engine().options.races && bytes <= kShadowedBytes) range.initialised.reset(new u8[bytes]());
    m.ranges[base] = std::move(range);
  }
  spoil(reinterpret_cast<void*>(base), bytes);
  return reinterpret_cast<void*>(base);
}

}  // namespace

void* allocate_device(u64 bytes, int device, bool pooled) { return allocate(bytes, device, false, pooled); }
void* allocate_heap(u64 bytes) {
  void* made = allocate(bytes, executing_device(), true, false);
  memory().heap_refused = made ? 0 : bytes;
  return made;
}
u64 refused_heap_bytes() { return memory().heap_refused; }

void forget_contents(u64 base) {
  const std::optional<Allocation> found = live_allocation(base);
  if (!found || found->base != base) return;
  DeviceOpen open;
  spoil(reinterpret_cast<void*>(base), found->bytes);
  if (found->initialised) std::memset(found->initialised.get(), 0, found->bytes);
}

void set_heap_limit(u64 bytes) {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  m.heap_limit = bytes;
}

u64 heap_limit() {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  return m.heap_limit;
}

void* allocate_host(u64 bytes, MemoryKind kind) {
  void* base = mmap(nullptr, pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  spoil(base, bytes);
  register_memory(base, bytes, kind, "");
  if (kind == MemoryKind::kManaged) {
    std::unique_lock lock(memory().mutex);
    memory().hold(bytes);
  }
  return base;
}

FreeResult free_memory(void* pointer, bool host, bool heap) {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  const u64 address = reinterpret_cast<u64>(pointer);
  auto found = holder(m, address);
  if (found == m.ranges.end() || !found->second.contains(address, 0)) {
    return pageable_argument(address) ? FreeResult::kWrongKind : FreeResult::kUnknown;
  }
  Allocation& range = found->second;
  if (range.base != address) return FreeResult::kNotBase;
  if (range.freed) return FreeResult::kTwice;
  const bool pinned = range.kind == MemoryKind::kPinned;
  const bool foreign = range.argument || range.is_variable();
  if (foreign || range.kind == MemoryKind::kRegistered || pinned != host || range.heap != heap) {
    return FreeResult::kWrongKind;
  }
  range.freed = true;
  range.initialised.reset();
  ++m.generation;
  if (!pinned) m.held -= range.bytes;
  if (range.kind == MemoryKind::kDevice) {
    m.in_use[range.device] -= range.bytes;
    m.heap[range.device] -= range.heap * range.bytes;
    madvise(pointer, pages(range.bytes), MADV_DONTNEED);
  } else {
    munmap(pointer, pages(range.bytes));
  }
  m.forget_oldest_free();
  return FreeResult::kFreed;
}

void* map_argument(int descriptor, u64 offset, Allocation argument) {
  if (argument.kind != MemoryKind::kDevice) return map_host_argument(descriptor, offset, std::move(argument));
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  const u64 whole = pages(static_cast<u64>(lseek(descriptor, 0, SEEK_END)));
  if (offset > whole || argument.bytes > whole - offset) return nullptr;
  const u64 base = m.place(whole);
  if (!base) return nullptr;
  // The pages exist already. Mapping them all at once is far cheaper than a fault for each.
  const int flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
  if (mmap(reinterpret_cast<void*>(base), whole, PROT_READ | PROT_WRITE, flags, descriptor, 0) == MAP_FAILED) {
    return nullptr;
  }
  m.protect(base, whole);
  m.argument_mappings.push_back({base, whole});
  argument.base = base + offset;
  argument.argument = true;
  m.ranges[argument.base] = std::move(argument);
  return reinterpret_cast<void*>(base + offset);
}

void unmap_arguments() {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  for (const Mapping& mapping : m.argument_mappings) {
    mmap(reinterpret_cast<void*>(mapping.base), mapping.bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  m.past_arguments = std::exchange(m.argument_mappings, {});
  std::erase_if(m.ranges, [](const auto& entry) { return entry.second.argument; });
  unmap_host_arguments();
  m.trim();
  ++m.generation;
}

void register_memory(Allocation allocation) {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  const u64 base = allocation.base, end = base + allocation.bytes;
  // What was freed outside the arena may have left its addresses to others.
  for (auto at = m.ranges.lower_bound(base); at != m.ranges.end() && at->first < end;) {
    at = at->second.freed ? m.ranges.erase(at) : std::next(at);
  }
  m.ranges[base] = std::move(allocation);
}

void register_memory(void* base, u64 bytes, MemoryKind kind, std::string name) {
  register_memory({.base = reinterpret_cast<u64>(base), .bytes = bytes, .kind = kind, .name = std::move(name)});
}

bool unregister_memory(void* base) {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  ++m.generation;
  return m.ranges.erase(reinterpret_cast<u64>(base)) != 0;
}

bool register_host(void* base, u64 bytes) {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  const u64 address = reinterpret_cast<u64>(base);
  const u64 end = address + bytes;
  if (!bytes || end < address) return false;
  // Within the arena all that kernels may touch was allocated, with its bounds: nothing can be added to it.
  if (address < m.arena + m.arena_bytes && end > m.arena) return false;
  auto last = m.ranges.lower_bound(end);
  for (auto at = m.ranges.begin(); at != last; ++at) {
    if (!at->second.freed && at->second.base + at->second.bytes > address) return false;
  }
  const bool argument = pageable_argument(address).has_value();
  m.ranges[address] = {.base = address, .bytes = bytes, .kind = MemoryKind::kRegistered, .argument = argument};
  return true;
}

bool unregister_host(void* base) {
  Memory& m = memory();
  std::unique_lock lock(m.mutex);
  auto found = m.ranges.find(reinterpret_cast<u64>(base));
  if (found == m.ranges.end() || found->second.kind != MemoryKind::kRegistered) return false;
  ++m.generation;
  m.ranges.erase(found);
  return true;
}

bool find_range(u64 address, u64 size, Range& range) {
  Memory& m = memory();
  std::shared_lock lock(m.mutex);
  auto found = holder(m, address);
  if (found == m.ranges.end() || found->second.freed || !found->second.contains(address, size)) return false;
  const int device = executing_device();
  if (!found->second.reachable(device)) return false;  // between kernels everything is
  const MemoryKind kind = found->second.kind;
  const bool on_host = kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered || kind == MemoryKind::kManaged;
  const bool on_peer = device >= 0 && kind == MemoryKind::kDevice && found->second.device != device;
  range = {found->second.base, found->second.bytes, found->second.initialised.get(), on_host, on_peer};
  return true;
}

std::optional<Allocation> nearest_allocation(u64 address) {
  if (std::optional<Allocation> live = live_allocation(address)) return live;
  Memory& m = memory();
  std::shared_lock lock(m.mutex);
  auto next = m.ranges.upper_bound(address);
  const bool has_above = next != m.ranges.end();
  if (next == m.ranges.begin()) return has_above ? std::optional(next->second) : std::nullopt;
  auto below = std::prev(next);
  const u64 above_end = below->second.base + below->second.bytes;
  if (has_above && address >= above_end && next->first - address < address - above_end) return next->second;
  return below->second;
}

std::optional<Allocation> live_allocation(u64 address) {
  Memory& m = memory();
  std::shared_lock lock(m.mutex);
  auto found = holder(m, address);
  if (found != m.ranges.end() && !found->second.freed && found->second.contains(address, 0)) return found->second;
  return in_arena(address) ? std::nullopt : pageable_argument(address);
}

u64 argument_bytes() {
  Memory& m = memory();
  std::lock_guard lock(m.mutex);
  u64 bytes = 0;
  for (const auto& [base, range] : m.ranges) bytes += range.argument ? range.bytes : 0;
  return bytes;
}

bool shares_memory_with_host() {
  Memory& m = memory();
  std::lock_guard lock(m.mutex);
  return std::ranges::any_of(m.ranges, [](const auto& entry) {
    const Allocation& range = entry.second;
    return !range.freed && (range.kind == MemoryKind::kManaged || range.kind == MemoryKind::kPinned ||
                            range.kind == MemoryKind::kRegistered);
  });
}

bool is_past_argument(u64 address) {
  Memory& m = memory();
  std::shared_lock lock(m.mutex);
  const auto has = [&](const Mapping& mapping) { return address - mapping.base < mapping.bytes; };
  return std::ranges::any_of(m.past_arguments, has);
}

bool in_arena(u64 address) { return address - memory().arena < memory().arena_bytes; }

u64 bytes_of_device() { return engine().device_bytes / static_cast<u64>(device_count()); }

u64 device_bytes_in_use(int device) {
  std::shared_lock lock(memory().mutex);
  return memory().in_use[device];
}

void start_memory_peak() {
  std::unique_lock lock(memory().mutex);
  memory().most_held = memory().held;
}

u64 memory_peak() {
  std::shared_lock lock(memory().mutex);
  return memory().most_held;
}

LiveMemory live_memory() {
  std::shared_lock lock(memory().mutex);
  LiveMemory live;
  for (const auto& [base, range] : memory().ranges) {
    const bool own = range.kind == MemoryKind::kDevice || range.kind == MemoryKind::kManaged || range.kind == MemoryKind::kPinned;
    if (range.freed || range.argument || range.is_variable() || !own) continue;
    ++live.allocations;
    live.bytes += range.bytes;
  }
  return live;
}

u64 memory_generation() { return memory().generation.load(std::memory_order_relaxed); }

void mark_initialised(u64 address, u64 size) {
  Range range;
  if (engine().options.races && find_range(address, size, range) && range.initialised) {
    std::memset(range.initialised + (address - range.base), 1, size);
  }
}

}  // namespace warpcourt::cpu
