// What the watchdog says at the deadline. What it reads of the workers changes under it: the records it
// looks at stay allocated, and a message about a thread that has just gone on is still true.
#include "deadline.h"

#include "../../runner/watchdog.h"
#include "diagnostics.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

[[noreturn]] void expire(u32 limit_ms) {
  const std::string limit = "time limit of " + std::to_string(limit_ms) + " ms exceeded";
  for (const Worker* worker : all_workers()) {
    const Block* block = worker->block;
    const ThreadRecord* thread = worker->current;
    if (!block) continue;
    if (!thread) thread = &block->threads[0];
    fail({Severity::kError, "time_limit",
          limit + place(*thread, thread->location) +
              ". Look for an endless loop, or spread the work over more threads.",
          where(*thread, thread->location)},
         wire::kTimeLimit);
  }
  fail({Severity::kError, "time_limit", limit + " in host code, outside any kernel.", {}}, wire::kTimeLimit);
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
