// Starts and ends asynchronous copies. See async_copies.h.
#include "async_copies.h"

#include <cstring>

#include "block.h"
#include "counters.h"
#include "engine.h"
#include "races.h"

namespace warpcourt::cpu {
namespace {

// Writes the copies of groups up to `last`.
void finish_copies(ThreadRecord& thread, u32 last) {
  std::vector<AsyncCopy>& under_way = thread.copies.under_way;
  std::size_t done = 0;
  for (; done < under_way.size() && under_way[done].group <= last; ++done) {
    const AsyncCopy& copy = under_way[done];
    if (thread.races) races().finish_copy(thread, copy.offset, copy.bytes, copy.location);
    std::memcpy(thread.shared + copy.offset, copy.data, copy.bytes);
  }
  under_way.erase(under_way.begin(), under_way.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace

extern "C" {

void wc_copy_async(Thread* caller, u64 target, const u8* data, u32 bytes, u32 read, u32 location) {
  ThreadRecord& thread = record(caller);
  if (read && engine().options.counted) count_async_copy(thread);
  AsyncCopies& copies = thread.copies;
  const u32 offset = static_cast<u32>(target - reinterpret_cast<u64>(thread.shared));
  AsyncCopy& copy = copies.under_way.emplace_back(AsyncCopy{offset, bytes, copies.group, location, {}});
  std::memcpy(copy.data, data, bytes);
  std::memset(thread.shared + offset, poison(), bytes);
  if (thread.races) races().start_copy(*thread.block, offset, bytes, location);
}

void wc_commit_copies(Thread* caller) { ++record(caller).copies.group; }

void wc_wait_for_copies(Thread* caller, u32 groups_left) {
  ThreadRecord& thread = record(caller);
  const u32 group = thread.copies.group;
  if (groups_left < group) finish_copies(thread, group - 1 - groups_left);
}

void wc_wait_for_all_copies(Thread* caller) {
  ThreadRecord& thread = record(caller);
  finish_copies(thread, thread.copies.group++);
}

}  // extern "C"

}  // namespace warpcourt::cpu
