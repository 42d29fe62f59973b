// Finds races, and uninitialised reads of shared memory. See races.h.
#include "races.h"

#include <cstring>

#include "counters.h"
#include "diagnostics.h"
#include "engine.h"
#include "memory.h"
#include "operations.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kPageBytes = 4096;
constexpr std::size_t kMaxPages = 1024;   // some 110 KiB each
constexpr u32 kMaxFences = 1u << 20;      // per block: what comes later is not told apart

// Whether accesses of these kinds to one word need an order.
bool in_conflict(Access a, Access b, bool shared) {
  if (!writes(a) && !writes(b)) return false;
  if (!is_plain(a) && !is_plain(b)) return false;
  const Access plain = is_plain(a) ? a : b, other = is_plain(a) ? b : a;
  if (other == Access::kPolledRead) return false;
  return plain == Access::kWrite || other == Access::kWrite || shared;
}

const char* verb(Access kind) {
  if (!writes(kind)) return "reads";
  return kind == Access::kAtomic ? "updates" : "writes";
}

const char* past(Access kind) {
  if (!writes(kind)) return " read it";
  return kind == Access::kAtomic ? " updated it" : " wrote it";
}

std::string in_line(u32 location) {
  const std::string line = line_text(location);
  return line.empty() ? "" : " (" + line + ")";
}

Dim3 position(u64 index, const Dim3& size) {
  return {static_cast<u32>(index % size.x), static_cast<u32>(index / size.x % size.y),
          static_cast<u32>(index / size.x / size.y)};
}

std::string what_is_at(u64 address, u32 bytes) {
  const std::optional<Allocation> found = live_allocation(address);
  return found ? found->element(address, bytes) + " of " + found->text() : "global memory";
}

}  // namespace

Races& races() {
  static auto* instance = new Races;
  return *instance;
}

void Races::start_call() {
  pending_ = {};
  pages_.clear();
  last_cells_ = nullptr;
}

void Races::start_launch() {
  launch_run_ = ++runs_;
  clock_ = 0;
  covered_.clear();
}

void Races::start_block(Block& block) {
  settle();
  if (block.shadow.bytes() < block.shared_bytes) block.shadow.resize(block.shared_bytes);
  block.run = ++runs_;
  ++block.epoch;
  block.fences = 0;
  block.acquired = 0;
  block.fenced = false;
}

void Races::fence(Block& block, bool within_block) {
  block.fenced = true;
  if (!within_block && block.fences < kMaxFences) ++block.fences;
}

bool Races::ordered(const Touch& before, const Block& block, const Touch& now) const {
  if (before.block != now.block) {
    const auto found = covered_.find(before.block);
    return found != covered_.end() && before.fences < found->second.size() &&
           found->second[before.fences] <= block.acquired;
  }
  if (before.thread == now.thread || before.epoch != now.epoch) return true;
  const bool same_warp = before.thread / kWarpLanes == now.thread / kWarpLanes;
  return same_warp && before.warp_epoch < now.warp_epoch;
}

void Races::acquire(const Cell& cell, ThreadRecord& thread) {
  if (!cell.released) return;
  Block& block = *thread.block;
  block.acquired = std::max(block.acquired, cell.released);
  if (cell.releaser_block == block.number && cell.releaser != thread.index) ++block.epoch;
}

void Races::release(Cell& cell, ThreadRecord& thread) {
  Block& block = *thread.block;
  if (!block.fenced) return;
  cell.released = ++clock_;
  cell.releaser = static_cast<u16>(thread.index);
  cell.releaser_block = block.number;
  std::vector<u64>& covered = covered_[block.number];
  if (covered.size() < block.fences) covered.resize(block.fences, clock_);
}

void Races::report_race(const Event& event, const Touch& before, u32 offset) {
  const Touch& now = event.touch;
  for (const Touch* touch : {&before, &now}) {
    if (!is_plain(touch->kind)) continue;
    std::vector<bool>& racy = touch->kind == Access::kWrite ? racy_writes_ : racy_reads_;
    if (racy.size() <= touch->location) racy.resize(touch->location + 1);
    racy[touch->location] = true;
  }
  if (!reported_.insert(u64{before.location} << 32 | now.location).second) return;
  const ThreadRecord& thread = *event.thread;
  const Launch& launch = *thread.block->launch;
  const bool same_block = before.block == now.block;
  const auto in_block = [&](const Dim3& block) { return same_block ? "" : " of block " + text(block); };
  const std::string at = event.shared ? "byte " + std::to_string(offset) + " of shared memory"
                                      : what_is_at(event.address - event.offset + offset, event.bytes);
  std::string message = "race on " + at + ": thread " + text(position(before.thread, launch.block)) +
                        in_block(position(before.block, launch.grid)) + past(before.kind) +
                        in_line(before.location) + " and thread " + text(thread.tid) +
                        in_block(thread.block->index) + ' ' + verb(now.kind) + " it" + in_line(now.location);
  if (same_block) {
    message += " with no __syncthreads() between, in kernel " + launch.name + ", block " + text(thread.block->index) +
               ". Put a barrier between the two, or use an atomic operation.";
  } else {
    message += ", with no ordering between the two blocks, in kernel " + launch.name +
               ". Use an atomic operation, or move the second access to another launch.";
  }
  report({Severity::kWarning, "race", message, where(thread, now.location)});
}

void Races::check(const Event& event, const Touch& before, u32 offset) {
  if (before && in_conflict(before.kind, event.touch.kind, event.shared) &&
      !ordered(before, *event.thread->block, event.touch)) {
    report_race(event, before, offset);
  }
}

// Compares the access with what is known of the cell, and makes it known there.
void Races::commit(const Event& event, Cell& cell, u32 offset) {
  const Touch& now = event.touch;
  if (now.kind == Access::kPolledRead || now.kind == Access::kAtomic) acquire(cell, *event.thread);
  if (now.kind == Access::kPolledRead) return;
  check(event, cell.write, offset);
  check(event, cell.update, offset);
  if (!writes(now.kind)) {
    if (cell.read && cell.read.block != now.block) {
      cell.foreign = cell.read;
      cell.neighbour = {};
    } else if (cell.read && cell.read.thread != now.thread) {
      cell.neighbour = cell.read;
    }
    cell.read = now;
    return;
  }
  for (const Touch* read : {&cell.read, &cell.neighbour, &cell.foreign}) check(event, *read, offset);
  if (now.kind == Access::kWrite) {
    cell.write = now;
    cell.update = cell.read = cell.neighbour = cell.foreign = {};
  } else {
    cell.update = now;
  }
  release(cell, *event.thread);
}

void Races::settle() {
  if (!pending_.thread) return;
  const Event event = pending_;
  pending_.thread = nullptr;
  event.cells->visit(event.offset, event.bytes, [&](Cell& cell, u32 offset, u32 bytes) {
    const u32 from = offset - event.offset;
    const bool same = std::memcmp(reinterpret_cast<const u8*>(event.address) + from, before_ + from, bytes) == 0;
    if (!same && cell.run == event.run) commit(event, cell, offset);
  });
}

void Races::access(const Event& event) {
  settle();
  const Access kind = event.touch.kind;
  const bool deferred = kind == Access::kWrite && event.bytes <= kWidest;
  event.cells->visit(event.offset, event.bytes, [&](Cell& cell, u32 offset, u32) {
    if (cell.run != event.run) cell = {.run = event.run};
    if (event.shared && reads(kind) && !cell.written) {
      const ThreadRecord& thread = *event.thread;
      report({Severity::kWarning, "uninitialised",
              "read of uninitialised shared memory: byte " + std::to_string(offset) +
                  place(thread, event.touch.location) + ". Shared memory is not initialised.",
              where(thread, event.touch.location)});
    }
    cell.written |= writes(kind);
    if (!deferred) commit(event, cell, offset);
  });
  if (!deferred) return;
  pending_ = event;
  std::memcpy(before_, reinterpret_cast<const void*>(event.address), event.bytes);
}

void Races::shared(ThreadRecord& thread, u32 offset, u32 bytes, Access kind, u32 location) {
  Block& block = *thread.block;
  access({&thread, &block.shadow, block.run, offset, bytes, reinterpret_cast<u64>(thread.shared) + offset, true,
          block.touch(thread, kind, location)});
}

void Races::global(ThreadRecord& thread, u64 address, u32 bytes, Access kind, u32 location) {
  operations().note(address, bytes, kind, location);
  Cells* cells = page(address);
  if (!cells) return settle();
  access({&thread, cells, launch_run_, static_cast<u32>(address % kPageBytes), bytes, address, false,
          thread.block->touch(thread, kind, location)});
}

Cells* Races::page(u64 address) {
  const u64 number = address / kPageBytes;
  if (last_cells_ && number == last_page_) return last_cells_;
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    if (pages_.size() >= kMaxPages) return nullptr;
    found = pages_.emplace(number, std::make_unique<Cells>(kPageBytes)).first;
  }
  last_page_ = number;
  return last_cells_ = found->second.get();
}

extern "C" void wc_shadow_shared(Thread* caller, u32 offset, u32 bytes, Access kind, u32 location) {
  ThreadRecord& thread = record(caller);
  take_turn(thread, kind, location);
  races().shared(thread, offset, bytes, kind, location);
  if (engine().options.counted) count_access(thread, true, offset, bytes, kind, 0, location);
}

extern "C" void wc_meet(Thread* caller) { ++caller->block->epoch; }

extern "C" void wc_fence(Thread* caller, bool within_block) { races().fence(*caller->block, within_block); }

}  // namespace warpcourt::cpu
