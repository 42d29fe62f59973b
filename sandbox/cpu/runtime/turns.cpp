// Interleaved threads: at every access to memory the others have their turn. See scheduler.h.
#include "engine.h"
#include "races.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kMaxTurns = 1u << 18;
constexpr u64 kMaxTurnsOfCall = 1u << 20;

u64 left_of_launch = 0;
u64 left_of_call = 0;

}  // namespace

void start_turns() { left_of_call = kMaxTurnsOfCall; }

void start_turns_of_launch() { left_of_launch = std::min(kMaxTurns, left_of_call); }

void take_turn(ThreadRecord& thread, Access kind, u32 location) {
  Block& block = *thread.block;
  if (!block.takes_turns) return;
  if (left_of_launch == 0) {
    block.takes_turns = false;
    return;
  }
  --left_of_launch;
  --left_of_call;
  if (kind == Access::kWrite && races().is_racy(location)) {
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
