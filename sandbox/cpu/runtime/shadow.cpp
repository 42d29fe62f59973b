// Finds races and uninitialised reads in shared memory. See shadow.h.
#include "shadow.h"

#include "diagnostics.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

const char* verb(Access kind) {
  if (kind == Access::kRead) return "reads";
  return kind == Access::kWrite ? "writes" : "updates";
}

std::string in_line(u32 location) {
  const std::string line = line_text(location);
  return line.empty() ? "" : " (" + line + ")";
}

void report_race(const ThreadRecord& thread, u32 offset, Access kind, const ShadowAccess& now,
                 const ShadowAccess& before, bool wrote) {
  const Block& block = *thread.block;
  report({Severity::kWarning, "race",
          "race on byte " + std::to_string(offset) + " of shared memory: thread " +
              text(block.threads[before.thread].tid) + (wrote ? " wrote it" : " read it") + in_line(before.location) +
              " and thread " + text(thread.tid) + ' ' + verb(kind) + " it" + in_line(now.location) +
              " with no __syncthreads() between, in kernel " + block.launch->name + ", block " + text(block.index) +
              '.',
          where(thread, now.location)});
}

// Whether nothing orders `before` ahead of what `thread` does now.
bool unordered(const ThreadRecord& thread, const ShadowAccess& before, const ShadowAccess& now) {
  if (before.epoch != now.epoch || before.thread == thread.index) return false;
  const bool same_warp = before.thread / kWarpLanes == thread.warp();
  return !(same_warp && before.warp_epoch < now.warp_epoch);
}

}  // namespace

void SharedShadow::start_block(u32 shared_bytes) {
  if (cells_.size() < shared_bytes) cells_.resize(shared_bytes);
  first_epoch_ = ++epoch_;
}

void SharedShadow::check(Thread* caller, u32 offset, Access kind, const ShadowAccess& now) {
  const ThreadRecord& thread = record(caller);
  const ShadowCell& cell = cells_[offset];
  const bool both_atomic = kind == Access::kAtomic && cell.atomic_write;
  if (!both_atomic && unordered(thread, cell.write, now)) {
    report_race(thread, offset, kind, now, cell.write, true);
  } else if (kind != Access::kRead && unordered(thread, cell.read, now)) {
    report_race(thread, offset, kind, now, cell.read, false);
  } else if (kind != Access::kRead && unordered(thread, cell.earlier_read, now)) {
    report_race(thread, offset, kind, now, cell.earlier_read, false);
  }
  if (kind != Access::kWrite && cell.write.epoch < first_epoch_) {
    report({Severity::kWarning, "uninitialised",
            "read of shared memory that nothing has written: byte " + std::to_string(offset) +
                place(thread, now.location) + ". Shared memory starts with arbitrary contents.",
            where(thread, now.location)});
  }
}

void SharedShadow::access(Thread* caller, u32 offset, u32 bytes, Access kind, u32 location) {
  const ThreadRecord& thread = record(caller);
  const ShadowAccess now{epoch_, thread.block->warps[thread.warp()].epoch, thread.index, location};
  for (u32 byte = offset; byte < offset + bytes; ++byte) {
    check(caller, byte, kind, now);
    ShadowCell& cell = cells_[byte];
    if (kind == Access::kRead) {
      if (cell.read.thread != now.thread) cell.earlier_read = cell.read;
      cell.read = now;
    } else {
      cell.write = now;
      cell.atomic_write = kind == Access::kAtomic;
      if (kind == Access::kWrite) cell.read = cell.earlier_read = {};
    }
  }
}

extern "C" void wc_shadow_shared(Thread* caller, u32 offset, u32 bytes, Access kind, u32 location) {
  record(caller).block->shadow.access(caller, offset, bytes, kind, location);
}

extern "C" void wc_fence(Thread* caller) { record(caller).block->shadow.meet(); }

}  // namespace warpcourt::cpu
