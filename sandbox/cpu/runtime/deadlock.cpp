// The message for a block in which every thread waits: who waits where, and for whom.
#include <map>

#include "diagnostics.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

std::string waiting_for(const ThreadRecord& thread) {
  std::string out;
  if (thread.state == State::kAtBarrier) {
    out = thread.barrier == 0 ? "at __syncthreads()" : "at barrier " + std::to_string(thread.barrier);
  } else {
    const WarpRequest& request = thread.request;
    const bool sync = request.meeting == Meeting::kVote && request.op == WarpOp::kSync;
    out = sync ? "at __syncwarp()" : request.meeting == Meeting::kShuffle ? "at a warp shuffle" : "at a warp operation";
    out += " for lanes " + hexadecimal(request.mask);
  }
  const std::string line = line_text(thread.waits_at);
  return line.empty() ? out : out + ", " + line;
}

}  // namespace

void report_deadlock(Block& block) {
  struct Group {
    u32 size = 0;
    const ThreadRecord* first = nullptr;
  };
  std::map<std::string, Group> groups;
  const ThreadRecord* culprit = nullptr;
  for (const ThreadRecord& thread : block.threads) {
    if (thread.state == State::kDone) continue;
    Group& group = groups[waiting_for(thread)];
    if (group.size++ == 0) group.first = &thread;
    if (!culprit || thread.state == State::kAtWarp) culprit = culprit && culprit->state == State::kAtWarp ? culprit : &thread;
  }
  std::string message = "deadlock in kernel " + block.launch->name + ", block " + text(block.index) + ": ";
  for (const auto& [what, group] : groups) {
    message += count(group.size, "thread") + " (first " + text(group.first->tid) + ") waiting " + what + "; ";
  }
  const u32 finished = block.count - block.live;
  message += finished ? count(finished, "thread") + " finished." : "no thread can continue.";
  message += " Every thread that a barrier or a mask names must reach it.";
  fail({Severity::kError, "deadlock", message, where(*culprit, culprit->waits_at)}, wire::kRuntimeError);
}

}  // namespace warpcourt::cpu
