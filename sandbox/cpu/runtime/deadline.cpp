// A thread that sleeps until the deadline. What it reads of the workers changes under it: the records it
// looks at stay allocated, and a message about a thread that has just gone on is still true.
#include "deadline.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "diagnostics.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void expire(u32 limit_ms) {
  const std::string limit = "time limit of " + std::to_string(limit_ms) + " ms exceeded";
  for (const Worker* worker : all_workers()) {
    const Block* block = worker->block;
    const ThreadRecord* thread = worker->current;
    if (!block) continue;
    if (!thread) thread = &block->threads[0];
    fail({Severity::kError, "time_limit",
          limit + place(*thread, thread->location) +
              ". A loop that never ends, or work that should be spread over more threads.",
          where(*thread, thread->location)},
         wire::kTimeLimit);
  }
  fail({Severity::kError, "time_limit", limit + " in host code, outside any kernel.", {}}, wire::kTimeLimit);
}

class Watchdog {
 public:
  Watchdog() {
    std::thread([this] { watch(); }).detach();
  }

  void set(u32 limit_ms) {
    {
      std::lock_guard lock(mutex_);
      limit_ms_ = limit_ms;
      until_ = Clock::now() + std::chrono::milliseconds(limit_ms);
    }
    changed_.notify_one();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (limit_ms_ == 0) {
        changed_.wait(lock);
      } else if (changed_.wait_until(lock, until_) == std::cv_status::timeout && limit_ms_ != 0 &&
                 Clock::now() >= until_) {
        expire(limit_ms_);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  u32 limit_ms_ = 0;
  Clock::time_point until_;
};

Watchdog& watchdog() {
  static auto* instance = new Watchdog;
  return *instance;
}

}  // namespace

void start_deadline(u32 limit_ms) {
  if (limit_ms) watchdog().set(limit_ms);
}

void stop_deadline() { watchdog().set(0); }

}  // namespace warpcourt::cpu
