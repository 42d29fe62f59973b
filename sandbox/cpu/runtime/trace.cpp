// Records and writes traces. See trace.h.
#include "trace.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <tuple>

#include "diagnostics.h"
#include "engine.h"
#include "launch.h"
#include "memory.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kArrayAlignment = 256;
constexpr u64 kAddressSpace = u64{1} << 32;
constexpr auto kPatience = std::chrono::milliseconds(100);

trace::Kind kind_of(Access access) {
  if (access == Access::kAtomic) return trace::Kind::kAtomic;
  return writes(access) ? trace::Kind::kWrite : trace::Kind::kRead;
}

void copy_name(char (&to)[trace::kNameBytes], const std::string& from) {
  std::memcpy(to, from.data(), std::min<std::size_t>(from.size(), trace::kNameBytes));
}

// How often a number of things can be halved until one is left.
u32 halvings(u64 count) { return static_cast<u32>(std::bit_width(std::max<u64>(count, 1) - 1)); }

u64 blocks_of(const trace::Launch& launch) { return u64{launch.grid.x} * launch.grid.y * launch.grid.z; }

u32 threads_of(const trace::Launch& launch) { return launch.block.x * launch.block.y * launch.block.z; }

template <class T>
u8* put(u8* at, const std::vector<T>& values) {
  if (!values.empty()) std::memcpy(at, values.data(), values.size() * sizeof(T));
  return at + values.size() * sizeof(T);
}

}  // namespace

Trace& tracer() {
  static auto* instance = new Trace;
  return *instance;
}

void finish_trace() { tracer().finish_call(); }

void Trace::start_call(int descriptor) {
  std::lock_guard lock(mutex_);
  descriptor_ = descriptor;
  full_ = shortened_ = false;
  level_ = deepest_ = 0;
  kept_ = launch_number_ = 0;
  next_address_ = kArrayAlignment;
  launches_.clear();
  arrays_.clear();
  bases_.clear();
  events_.clear();
  running_.clear();
}

void Trace::start_launch(const Launch& launch) {
  std::lock_guard lock(mutex_);
  running_.clear();  // of a launch that is over
  launch_number_ = launch.number;
  if (full_) return;
  if (launches_.size() >= trace::kMostLaunches) {
    full_ = true;
    return;
  }
  const u32 static_bytes = launch.static_shared_bytes;
  trace::Launch entry{.grid = launch.grid, .block = launch.block};
  entry.shared_bytes =
      launch.dynamic_shared_bytes ? (static_bytes + 127) / 128 * 128 + launch.dynamic_shared_bytes : static_bytes;
  copy_name(entry.kernel, launch.name);
  launches_.push_back(entry);
  deepest_ = std::max(deepest_, halvings(launch.blocks) + halvings((launch.threads + kWarpLanes - 1) / kWarpLanes));
}

bool Trace::keeps(u32 launch, u32 block, u32 warp) const {
  const u32 of_blocks = std::min(level_, halvings(blocks_of(launches_[launch])));
  const u32 of_warps = level_ - of_blocks;
  const u64 block_mask = (u64{1} << of_blocks) - 1, warp_mask = (u64{1} << of_warps) - 1;
  return (block & block_mask) == 0 && (warp & warp_mask) == 0;
}

// Leaves out half of the blocks or warps until what is left fits.
void Trace::thin_out() {
  while (kept_ > trace::kMostAccesses && level_ < deepest_) {
    ++level_;
    kept_ = 0;
    std::erase_if(events_, [&](const Event& event) {
      return !keeps(event.head.launch, event.head.block, event.head.warp);
    });
    for (const Event& event : events_) kept_ += static_cast<u64>(std::popcount(event.head.mask));
    std::erase_if(running_, [&](const auto& entry) { return !keeps(entry.second.launch, entry.second.number, 0); });
    for (auto& [block, running] : running_) {
      const u32 launch = running.launch, number = running.number;
      std::erase_if(running.parts, [&](const auto& entry) { return !keeps(launch, number, entry.first.warp); });
      for (const auto& [instruction, lanes] : running.parts) {
        for (const auto& lane : lanes) kept_ += lane.size();
      }
    }
  }
  if (kept_ <= trace::kMostAccesses) return;
  full_ = true;
  running_.clear();  // their lanes are not equally far
}

Trace::Running* Trace::place(const ThreadRecord& thread, Progress*& progress) {
  if (full_ || descriptor_ < 0 || launches_.empty() || thread.block->launch->number != launch_number_) return nullptr;
  const u32 launch = static_cast<u32>(launches_.size() - 1);
  if (!keeps(launch, thread.block->number, thread.warp())) return nullptr;
  Running& running = running_[thread.block];
  if (running.threads.empty()) {
    running.launch = launch;
    running.number = thread.block->number;
    running.threads.resize(thread.block->count);
  }
  progress = &running.threads[thread.index];
  const u32 share = trace::kMostAccesses / std::min(kWarpLanes, threads_of(launches_[launch]));
  if (progress->events < share) return &running;
  shortened_ = true;
  return nullptr;
}

void Trace::add(const ThreadRecord& thread, Running& running, Progress& progress, const Instruction& instruction,
                u32 value) {
  running.parts[instruction][thread.lane()].push_back({value, progress.epoch, progress.step});
  ++progress.step;
  ++progress.events;
  if (++kept_ > trace::kMostAccesses) thin_out();
}

std::optional<u32> Trace::virtual_address(u64 address) {
  const auto holds = [&](std::size_t array) {
    return array < bases_.size() && address - bases_[array] < arrays_[array].bytes;
  };
  if (!holds(last_array_)) {
    last_array_ = 0;
    while (last_array_ < bases_.size() && !holds(last_array_)) ++last_array_;
  }
  if (last_array_ == bases_.size()) {
    const std::optional<Allocation> found = live_allocation(address);
    if (!found || bases_.size() >= trace::kMostArrays) return std::nullopt;
    const u64 start = next_address_ + found->base % kArrayAlignment;
    if (start + found->bytes > kAddressSpace - kArrayAlignment) return std::nullopt;
    trace::Array array{.start = static_cast<u32>(start),
                       .bytes = static_cast<u32>(found->bytes),
                       .element_bytes = found->element_bytes,
                       .kind = static_cast<u32>(found->kind)};
    copy_name(array.name, found->name);
    arrays_.push_back(array);
    bases_.push_back(found->base);
    next_address_ = (start + found->bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
  }
  return arrays_[last_array_].start + static_cast<u32>(address - bases_[last_array_]);
}

void Trace::access(const ThreadRecord& thread, bool shared, u64 address, u32 bytes, Access access, u32 site,
                   u32 location) {
  std::lock_guard lock(mutex_);
  Progress* progress;
  Running* running = place(thread, progress);
  if (!running) return;
  const std::optional<u32> value = shared ? static_cast<u32>(address) : virtual_address(address);
  if (!value) {
    full_ = true;
    running_.clear();
    return;
  }
  add(thread, *running, *progress, {thread.warp(), kind_of(access), shared, shared ? 0 : site, location, bytes}, *value);
}

void Trace::branch(const ThreadRecord& thread, bool taken, u32 branch, u32 location) {
  std::lock_guard lock(mutex_);
  Progress* progress;
  Running* running = place(thread, progress);
  if (running) add(thread, *running, *progress, {thread.warp(), trace::Kind::kBranch, false, branch, location, 0}, taken);
}

void Trace::barrier(const ThreadRecord& thread, u32 location) {
  std::lock_guard lock(mutex_);
  Progress* progress;
  Running* running = place(thread, progress);
  if (!running) return;
  Progress& before = *progress;
  const Instruction instruction{thread.warp(), trace::Kind::kBarrier, false, 0, location, 0};
  running->parts[instruction][thread.lane()].push_back({0, before.epoch, before.step});
  ++before.epoch;
  ++before.events;
  before.step = 0;
  if (++kept_ > trace::kMostAccesses) thin_out();
}

// Makes events of what the lanes of a block have done.
void Trace::store(const Running& running) {
  const std::size_t first = events_.size();
  for (const auto& [instruction, lanes_of] : running.parts) {
    for_executions(lanes_of, [&](const std::vector<Part>& parts, const std::vector<u32>& lanes) {
      Event event{.head = {.block = running.number,
                           .line = line_number(instruction.location),
                           .launch = static_cast<u16>(running.launch),
                           .warp = static_cast<u16>(instruction.warp),
                           .bytes = static_cast<u16>(instruction.bytes),
                           .kind = instruction.kind,
                           .shared = instruction.shared}};
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const u32 bit = 1u << lanes[i];
        event.head.mask |= bit;
        event.head.epoch = std::max(event.head.epoch, parts[i].epoch);
        event.step = std::max(event.step, parts[i].step);
        if (instruction.kind == trace::Kind::kBranch && parts[i].value) event.head.taken |= bit;
        if (instruction.kind <= trace::Kind::kAtomic) event.addresses.push_back(parts[i].value);
      }
      events_.push_back(std::move(event));
    });
  }
  std::stable_sort(events_.begin() + static_cast<std::ptrdiff_t>(first), events_.end(),
                   [](const Event& a, const Event& b) {
                     return std::tie(a.head.warp, a.head.epoch, a.step) < std::tie(b.head.warp, b.head.epoch, b.step);
                   });
}

void Trace::end_block(const Block& block) {
  std::lock_guard lock(mutex_);
  const auto found = running_.find(&block);
  if (found == running_.end()) return;
  store(found->second);
  running_.erase(found);
}

void Trace::finish_call() {
  // Whoever holds the lock for that long will not let go any more.
  std::unique_lock lock(mutex_, kPatience);
  if (!lock.owns_lock() || descriptor_ < 0) return;
  const int descriptor = descriptor_;
  descriptor_ = -1;
  for (const auto& [block, running] : running_) store(running);
  running_.clear();
  std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return std::tie(a.head.launch, a.head.block, a.head.warp) < std::tie(b.head.launch, b.head.block, b.head.warp);
  });
  struct stat status;
  if (fstat(descriptor, &status) == 0) {
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory != MAP_FAILED) {
      write(static_cast<u8*>(memory), bytes);
      munmap(memory, bytes);
    }
  }
  close(descriptor);
}

void Trace::write(u8* memory, std::size_t bytes) const {
  std::vector<trace::Event> heads;
  std::vector<u32> addresses;
  for (const Event& event : events_) {
    heads.push_back(event.head);
    addresses.insert(addresses.end(), event.addresses.begin(), event.addresses.end());
  }
  const trace::Header header{.magic = trace::kMagic,
                             .launches = static_cast<u32>(launches_.size()),
                             .arrays = static_cast<u32>(arrays_.size()),
                             .events = static_cast<u32>(heads.size()),
                             .addresses = static_cast<u32>(addresses.size()),
                             .level = level_,
                             .shortened = full_ || shortened_};
  const std::size_t needed = sizeof header + launches_.size() * sizeof(trace::Launch) +
                             arrays_.size() * sizeof(trace::Array) + heads.size() * sizeof(trace::Event) +
                             addresses.size() * sizeof(u32);
  if (needed > bytes) return;
  u8* at = put(memory + sizeof header, launches_);
  at = put(at, arrays_);
  at = put(at, heads);
  put(at, addresses);
  std::memcpy(memory, &header, sizeof header);
}

}  // namespace warpcourt::cpu
