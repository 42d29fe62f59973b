// Interleaved threads: at every access to memory the others have their turn. See scheduler.h.
#include "engine.h"
#include "races.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kMaxTurns = 1u << 18;
constexpr u64 kMaxTurnsOfCall = 1u << 20;
constexpr u64 kMaxPostponed = 1u << 16;  // writes of a launch that are known to race; also when no turns are left

u64 left_of_launch = 0;
u64 left_of_call = 0;
u64 left_to_postpone = 0;

}  // namespace

void start_turns() { left_of_call = kMaxTurnsOfCall; }

void start_turns_of_launch() {
  left_of_launch = std::min(kMaxTurns, left_of_call);
  left_to_postpone = kMaxPostponed;
}

void take_turn(ThreadRecord& thread, Access kind, u32 location) {
  Block& block = *thread.block;
  if (!engine().options.interleaved) return;
  if (left_of_launch == 0) block.takes_turns = false;
  const bool postponed = kind == Access::kWrite && left_to_postpone && races().is_racy(location);
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

void release_postponed(std::vector<std::unique_ptr<Block>>& blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    std::vector<u16>& postponed = (*block)->postponed;
    for (auto index = postponed.rbegin(); index != postponed.rend(); ++index) {
      (*block)->threads[*index].state = State::kReady;
      (*block)->ready.push(*index);
    }
    postponed.clear();
  }
}

}  // namespace warpcourt::cpu
