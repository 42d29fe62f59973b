// What the watchdog says at the deadline. What it reads of the workers changes under it: the records it
// looks at stay allocated, and a message about a thread that has just gone on is still true.
#include "deadline.h"

#include "../../runner/watchdog.h"
#include "device_limits.h"
#include "diagnostics.h"
#include "scheduler.h"
#include "waits.h"

namespace warpcourt::cpu {
namespace {

std::string advice(const Worker& worker, const Launch& launch) {
  if (!worker.stalled) {
    if (const std::optional<Waits> waits = ask_what_waits()) {
      return ". All remaining threads wait: " + waits->text() + "no thread can continue. " + waits->advice(launch);
    }
    return ". Look for an endless loop, or spread the work over more threads.";
  }
  return ". The blocks that have started wait for blocks that start only when one of them ends. The virtual device "
         "runs at most " + count(launch.most_resident, "block") + " of this size at the same time, because it has " +
         std::to_string(kMultiprocessors) + " multiprocessors. A GPU has more (an H200 has 132), and runs more. Take the "
         "number of blocks from the device, and use cudaLaunchCooperativeKernel.";
}

// The worker to report: if possible one that can still make progress.
const Worker* busy_worker() {
  const Worker* found = nullptr;
  for (const Worker* worker : all_workers()) {
    if (worker->block && (!found || found->stalled)) found = worker;
  }
  return found;
}

[[noreturn]] void expire(u32 limit_ms) {
  const std::string limit = "time limit of " + std::to_string(limit_ms) + " ms exceeded";
  const Worker* worker = busy_worker();
  const Block* block = worker ? worker->block : nullptr;
  if (block) {
    const ThreadRecord* thread = worker->current;
    if (!thread) thread = &block->threads[0];
    fail({Severity::kError, "time_limit", limit + place(*thread, thread->location) + advice(*worker, *block->launch),
          where(*thread, thread->location)},
         wire::kTimeLimit);
  }
  fail({Severity::kError, "time_limit",
        limit + " in host code, outside any kernel. Look for a loop that does not end, or that launches or allocates too often.",
        {}},
       wire::kTimeLimit);
}

Watchdog& watchdog() {
  static auto* instance = new Watchdog(expire);
  return *instance;
}

}  // namespace

void start_deadline(u32 limit_ms) {
  if (limit_ms) watchdog().set(limit_ms);
}

void stop_deadline() { watchdog().set(0); }

}  // namespace warpcourt::cpu
