// Groups threads by what they wait for. See waits.h.
#include "waits.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "diagnostics.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kInVain = 8;  // yields, each after 64 polls
constexpr auto kMostAnswering = std::chrono::milliseconds(300);

struct Answers {
  std::mutex mutex;
  std::set<const Worker*> answered;
  Waits waits{true};
  bool all_wait = true;
};

std::atomic<bool> asked{false};
Answers& answers() {
  static auto* instance = new Answers;
  return *instance;
}

bool polls_in_vain(const ThreadRecord& thread) {
  return (thread.state == State::kReady || thread.state == State::kRunning) && thread.waited >= kInVain &&
         thread.location == thread.yielded_at;
}

std::string waiting_for(const ThreadRecord& thread) {
  std::string out;
  u32 location = thread.waits_at;
  if (thread.state == State::kAtBarrier) {
    out = thread.barrier == 0 ? "waiting at " + barrier_name(thread.barrier_op)
                              : "waiting at barrier " + std::to_string(thread.barrier);
  } else if (thread.state == State::kAtWarp) {
    const WarpRequest& request = thread.request;
    const bool sync = request.meeting == Meeting::kVote && request.op == WarpOp::kSync;
    out = sync                                   ? "waiting at __syncwarp()"
          : request.meeting == Meeting::kShuffle ? "waiting at a warp shuffle"
                                                 : "waiting at a warp operation";
    out += " for lanes " + hexadecimal(request.mask);
  } else {
    out = "polling";
    location = thread.yielded_at;
  }
  const std::string line = line_text(location);
  return line.empty() ? out : out + ", " + line;
}

}  // namespace

std::string barrier_name(BarrierOp op) {
  switch (op) {
    case BarrierOp::kGroupSync: return "block.sync()";
    case BarrierOp::kGridSync: return "grid.sync()";
    default: return "__syncthreads()";
  }
}

bool Waits::add(const Block& block) {
  if (block.started < block.count) return false;
  ++blocks_;
  for (const ThreadRecord& thread : block.threads) {
    if (thread.state == State::kDone) continue;
    const bool polls = polls_in_vain(thread);
    if (!polls && thread.state != State::kAtBarrier && thread.state != State::kAtWarp) return false;
    at_grid_barrier_ |= thread.state == State::kAtBarrier && thread.barrier_op == BarrierOp::kGridSync;
    Group& group = groups_[waiting_for(thread)];
    const std::string position = cpu::text(thread.tid);
    if (group.size++ == 0) {
      group.first = names_blocks_ ? position + " of block " + cpu::text(block.index) : position;
    }
    if (thread.state != State::kAtWarp || !meets_pollers_.empty()) continue;
    const u32 warp = thread.index - thread.lane();
    for (u32 lane = 0; lane < kWarpLanes && warp + lane < block.count; ++lane) {
      if (thread.request.mask >> lane & 1 && polls_in_vain(block.threads[warp + lane])) meets_pollers_ = group.first;
    }
  }
  return true;
}

std::string Waits::text() const {
  std::string out;
  for (const auto& [what, group] : groups_) {
    out += count(group.size, "thread") + " (first " + group.first + ") " + what + "; ";
  }
  return out;
}

std::string Waits::advice(const Launch& launch) const {
  const u64 ended = launch.blocks - blocks_;
  const std::string ended_text =
      count(ended, "block") + " of " + std::to_string(launch.blocks) + (ended == 1 ? " has ended. " : " have ended. ");
  if (ended && at_grid_barrier_) return ended_text + "All blocks must reach each grid.sync(), so no block may return before it.";
  if (!meets_pollers_.empty()) {
    return "Thread " + meets_pollers_ + " waits for lanes of its warp that poll. If it holds the lock that they poll, it must "
           "release the lock before the lanes of the warp synchronise: acquire the lock, do the work and release the lock in "
           "the same branch.";
  }
  if (ended) {
    return ended_text + "If the others wait for them at a barrier of the program, no block may return before this barrier. A "
                        "block that holds a lock must release it before it returns.";
  }
  return "No thread changes what the others poll. A thread must release its lock, or set its flag, before it waits at a "
         "barrier. If threads wait for a counter, check that enough threads or blocks increment it.";
}

void answer_what_waits(const Worker& worker, const std::vector<std::unique_ptr<Block>>& resident) {
  if (!asked.load(std::memory_order_relaxed)) return;
  Answers& all = answers();
  std::lock_guard lock(all.mutex);
  if (!all.answered.insert(&worker).second) return;
  for (const auto& block : resident) {
    if (!block->finished) all.all_wait = all.waits.add(*block) && all.all_wait;
  }
}

std::optional<Waits> ask_what_waits() {
  Answers& all = answers();
  asked = true;
  const auto end = std::chrono::steady_clock::now() + kMostAnswering;
  while (std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::lock_guard lock(all.mutex);
    const auto is_silent = [&](const Worker* worker) { return worker->block && !all.answered.contains(worker); };
    if (std::ranges::any_of(all_workers(), is_silent)) continue;
    asked = false;
    if (all.all_wait && all.waits.blocks()) return all.waits;
    return std::nullopt;
  }
  asked = false;
  return std::nullopt;
}

}  // namespace warpcourt::cpu
