// Interleaved threads: at every access to memory the others have their turn. Late reads. See scheduler.h.
#include <algorithm>

#include "engine.h"
#include "races.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kMaxTurns = 1u << 18;
constexpr u64 kMaxTurnsOfCall = 1u << 20;
constexpr u64 kMaxPostponed = 1u << 16;  // accesses of a launch that are known to race; also when no turns are left

u64 left_of_launch = 0;
u64 left_of_call = 0;
u64 left_to_postpone = 0;

// Whether the thread with the index `a` goes on after that with `b`.
bool goes_later(u16 a, u16 b) { return engine().options.reversed ? a > b : a < b; }

void make_ready(Block& block, u16 index) {
  block.threads[index].state = State::kReady;
  block.ready.push(index);
}

// Whether another thread of the block may write before the read.
bool reads_late(ThreadRecord& thread, Access kind, u32 location) {
  if (!is_plain_read(kind) || !left_to_postpone || !races().is_racy(kind, location)) return false;
  const u32 epoch = thread.block->epoch;
  if (!engine().options.torn_reads || thread.read_epoch == epoch) return true;
  thread.read_epoch = epoch;
  return false;
}

void read_late(ThreadRecord& thread) {
  Block& block = *thread.block;
  --left_to_postpone;
  thread.state = State::kPostponed;
  block.postponed.push_back(static_cast<u16>(thread.index));
  std::ranges::push_heap(block.postponed, goes_later);
  suspend(thread);
}

}  // namespace

void start_turns() { left_of_call = kMaxTurnsOfCall; }

void start_turns_of_launch() {
  left_of_launch = std::min(kMaxTurns, left_of_call);
  left_to_postpone = kMaxPostponed;
}

void take_turn(ThreadRecord& thread, Access kind, u32 location) {
  Block& block = *thread.block;
  const Options& options = engine().options;
  if (options.late_reads && reads_late(thread, kind, location)) return read_late(thread);
  if (!options.interleaved) return;
  if (left_of_launch == 0) block.takes_turns = false;
  const bool postponed = kind == Access::kWrite && left_to_postpone && races().is_racy(kind, location);
  if (!postponed && !block.takes_turns) return;
  if (block.takes_turns) --left_of_launch, --left_of_call;
  if (postponed) {
    --left_to_postpone;
    thread.state = State::kPostponed;
    block.postponed.push_back(static_cast<u16>(thread.index));
  } else {
    thread.state = State::kReady;
    block.ready.push(thread.index);
    if (block.started == block.count && ++block.turns >= block.ready.size()) {
      block.turns = 0;
      block.worker->set_aside = true;
    }
  }
  suspend(thread);
}

bool release_postponed(std::vector<std::unique_ptr<Block>>& blocks) {
  bool any = false;
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    std::vector<u16>& postponed = (*block)->postponed;
    any |= !postponed.empty();
    if (engine().options.late_reads) {
      if (!postponed.empty()) release_read(**block);
      continue;
    }
    for (auto index = postponed.rbegin(); index != postponed.rend(); ++index) make_ready(**block, *index);
    postponed.clear();
  }
  return any;
}

void release_read(Block& block) {
  std::ranges::pop_heap(block.postponed, goes_later);
  make_ready(block, block.postponed.back());
  block.postponed.pop_back();
}

}  // namespace warpcourt::cpu
