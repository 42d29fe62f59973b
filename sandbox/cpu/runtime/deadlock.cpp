// The message for a block in which every thread waits: who waits where, and for whom.
#include "diagnostics.h"
#include "scheduler.h"
#include "waits.h"

namespace warpcourt::cpu {

void report_deadlock(Block& block) {
  Waits waits(false);
  waits.add(block);
  const ThreadRecord* culprit = nullptr;
  for (const ThreadRecord& thread : block.threads) {
    if (thread.state == State::kDone) continue;
    if (!culprit || (thread.state == State::kAtWarp && culprit->state != State::kAtWarp)) culprit = &thread;
  }
  std::string message =
      "deadlock in kernel " + block.launch->name + ", block " + text(block.index) + ": " + waits.text();
  const u32 finished = block.count - block.live;
  message += finished ? count(finished, "thread") + " finished." : "no thread can continue.";
  message += " Every thread that a barrier or a mask names must reach it.";
  fail({Severity::kError, "deadlock", message, where(*culprit, culprit->waits_at)}, wire::kRuntimeError);
}

}  // namespace warpcourt::cpu
