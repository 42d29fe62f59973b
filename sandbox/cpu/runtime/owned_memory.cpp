// Keeps the ranges of owned memory. See owned_memory.h.
#include "owned_memory.h"

#include <iterator>
#include <map>
#include <mutex>

namespace warpcourt::cpu {
namespace {

struct Owned {
  u64 bytes;
  Owner owner;
};

struct Ranges {
  std::mutex mutex;
  std::map<u64, Owned> by_base;
};

// Never destroyed: threads may still give stacks back.
Ranges& ranges() {
  static auto* instance = new Ranges;
  return *instance;
}

}  // namespace

void note_owned(const void* base, u64 bytes, Owner owner) {
  std::lock_guard lock(ranges().mutex);
  ranges().by_base[reinterpret_cast<u64>(base)] = {bytes, owner};
}

void forget_owned(const void* base) {
  std::lock_guard lock(ranges().mutex);
  ranges().by_base.erase(reinterpret_cast<u64>(base));
}

Owner owner_of(u64 address) {
  std::lock_guard lock(ranges().mutex);
  const auto next = ranges().by_base.upper_bound(address);
  if (next == ranges().by_base.begin()) return Owner::kNone;
  const auto& [base, owned] = *std::prev(next);
  return address - base < owned.bytes ? owned.owner : Owner::kNone;
}

}  // namespace warpcourt::cpu
