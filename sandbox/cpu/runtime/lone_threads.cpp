// Follows threads that synchronise for their block. See lone_threads.h.
#include "lone_threads.h"

#include <algorithm>

#include "block.h"

namespace warpcourt::cpu {

void LoneThreads::synchronise(const ThreadRecord& thread, u64 address, const Touch& touch) {
  OfBlock& block = blocks_[touch.block];
  if (block.crowded) return;
  const auto known = std::ranges::find_if(
      block.uses, [&](const Use& use) { return use.address == address && use.thread == thread.index; });
  if (known == block.uses.end() && block.uses.size() == kMostUses) {
    block.crowded = true;
    return;
  }
  Use& use = known != block.uses.end()
                 ? *known
                 : block.uses.emplace_back(Use{address, static_cast<u16>(thread.index), {}, {}, false});
  use.polls |= thread.waited > 0;
  // The operation that acquires a lock both reads and writes. A later write in another line releases it.
  if (reads(touch.kind) && (!use.taken || !writes(touch.kind) || use.taken.location == touch.location)) {
    use.taken = touch;
  } else if (writes(touch.kind)) {
    use.given = touch;
  }
}

void LoneThreads::fence(const ThreadRecord& thread) {
  std::vector<u16>& fenced = blocks_[thread.block->family_number].fenced;
  const u16 index = static_cast<u16>(thread.index);
  if (std::ranges::find(fenced, index) == fenced.end()) fenced.push_back(index);
}

std::optional<LoneThreads::Missing> LoneThreads::barrier_missing(const Touch& access, bool waits) const {
  const auto found = blocks_.find(access.block);
  if (found == blocks_.end() || found->second.crowded) return std::nullopt;
  const OfBlock& block = found->second;
  for (const Use& use : block.uses) {
    const auto is_of_others = [&](const Use& other) { return other.address == use.address && other.thread != use.thread; };
    const bool same_warp = use.thread / kWarpLanes == access.thread / kWarpLanes;
    const bool alone = std::ranges::none_of(block.uses, is_of_others);
    const bool is_own = std::ranges::any_of(block.uses, [&](const Use& other) {
      return other.address == use.address && other.thread == access.thread;
    });
    if (is_own || !(alone || same_warp)) continue;
    if (!use.polls && std::ranges::find(block.fenced, use.thread) == block.fenced.end()) continue;
    Missing missing{.thread = use.thread, .same_warp = !alone};
    const bool once = !use.taken || !use.given;  // a ticket, or only a flag
    if (once) {
      const Touch& only = use.taken ? use.taken : use.given;
      if (only.epoch == access.epoch) (waits ? missing.after : missing.before) = only.location;
    } else {
      if (use.taken.epoch == access.epoch) missing.after = use.taken.location;
      if (use.given.epoch == access.epoch) missing.before = use.given.location;
    }
    if (missing.after || missing.before) return missing;
  }
  return std::nullopt;
}

}  // namespace warpcourt::cpu
