// Race mode: who touched each word of memory last, and what orders the accesses.
//
// Theory of operation. Race mode runs a launch on one OS thread, so that the same program gives the same findings
// on every machine. Two accesses to a word by different threads, at least one of them a plain write, race unless
// something orders them:
//
//   two launches       by the host are ordered. child_grids.h orders those by device code
//   within a block     by a barrier of the block. Epochs count them
//   within a warp      also by a __syncwarp whose mask holds both lanes (warp_order.h)
//   between blocks     by a release and an acquire. A block releases when it fences and then writes: what it did
//                      before the fence happens before whoever polls or updates the written word afterwards. After
//                      a relaxed poll, only with a fence of its thread or a barrier of its block. After a relaxed
//                      update, too, if a plain read may find the word in a cache: if some block other than the writer's
//                      had read it plainly before. Blocks carry a scalar clock instead of one per block: it may take
//                      accesses for ordered that are not, never the other way round
//
// These do not race: two accesses that are both atomic or polled (volatile, relaxed, acquire, release); a plain write
// and a poll; in global memory a plain read and an atomic update, since programs look before they swap; and a write
// that does not change the value, as when all threads store the same. Whether it did is known at the next event.
// Operations of block scope count as plain ones for other blocks, release nothing to them and acquire nothing from them.
//
// Stale reads. Threads run one after the other here, so a write is at once visible to all. On a GPU it is not, unless
// something orders it before the read. With `stale_reads`, a read that nothing orders after the last plain or
// polled write of a word sees the value before that write, kStaleReads times in all and kPatience times for a
// thread that keeps looking at the same place. A thread that polls a flag looks again, and goes on when it has seen the
// new value; one that lacks a fence or a barrier takes the old one. So the output proves what is missing. Atomic
// operations see the newest value, but those of block scope not that of another block: their updates get lost.
//
// A volatile read that saw an old value is a race too, unless its line polls: unless some thread looks at the same place
// again before it writes anything. What is a poll is known when the launch ends. So is a volatile read of shared memory
// that came before another lane's write, if the reader had passed the line of that write itself: the program counts on
// warps that run in lockstep.
//
// A polled read that gets an old value, after the thread has seen a later write of the same writer, is noted too: relaxed
// accesses took effect in another order. The judge keeps the note for wrong answers only.
//
// Cached reads (ld.global.nc: __ldg, or a const __restrict__ pointer; constant memory; textures) come after no write of their own grid, whatever
// orders the two: the cache may hold what was there when the kernel began. Writes may follow them as they follow others.
//
// A finding is a warning: that a race changes a result is shown by running the threads in other orders, where the
// judge compares the outputs. `is_racy` tells the scheduler which reads and writes to delay for that.
#pragma once

#include <memory>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi.h"
#include "lone_threads.h"
#include "shadow_cells.h"

namespace warpcourt::cpu {

struct Block;
struct Launch;
struct ThreadRecord;

class Races {
 public:
  // Before a call of solve: what is known of memory is forgotten, what raced is kept.
  void start_call();
  // Before the first call of a case: what was reported of earlier cases may be reported again.
  void start_case() { reported_.clear(); }
  // Around a launch by the host, with all that it launches itself.
  void start_launch();
  void finish_launch();
  // A block is about to run in `block`.
  void start_block(Block& block);
  void shared(ThreadRecord& thread, u32 offset, u32 bytes, Access kind, u32 location);
  void global(ThreadRecord& thread, u64 address, u32 bytes, Access kind, u32 location);
  // A read of constant memory or a texture: like a kCachedRead, where kernels have accessed the same page otherwise.
  void cached(ThreadRecord& thread, u64 address, u32 bytes, u32 location);
  void fence(ThreadRecord& thread, bool within_block);
  // What the thread has seen by relaxed operations counts as acquired.
  void acquire(ThreadRecord& thread);
  // Bytes of `mask` from `offset` in shared memory on hold a copy of bytes that nothing has written.
  void leave_unset(Block& block, u32 offset, u32 mask);
  // The finding about a read of shared memory that nothing has written.
  void report_uninitialised(const ThreadRecord& thread, u32 offset, u32 bytes, u32 location) const;
  // An asynchronous copy to shared memory, after its target has been written over, and when its thread has waited.
  void start_copy(Block& block, u32 offset, u32 bytes, u32 location);
  void finish_copy(ThreadRecord& thread, u32 offset, u32 bytes, u32 location);
  // Decides about the last write, and takes back what the last read was shown. Call it before memory changes or goes
  // by other means.
  void settle();

  // Whether a plain access of that kind at that location took part in a race, in this call of solve or an earlier one.
  bool is_racy(Access kind, u32 location) const {
    const std::vector<bool>& racy = kind == Access::kWrite ? racy_writes_ : racy_reads_;
    return is_plain(kind) && location < racy.size() && racy[location];
  }

 private:
  struct Event {
    ThreadRecord* thread = nullptr;  // null: there is none
    Cells* cells = nullptr;
    u32 run = 0;
    u32 offset = 0;  // in the cells
    u32 bytes = 0;
    u64 address = 0;
    bool shared = false;
    Touch touch;
  };
  // A byte or word that holds an old value, for one read.
  struct Shown {
    u64 address;
    u32 bytes;
    u32 value;  // the newest
  };
  // A volatile read of a word of shared memory, and where its thread had written last.
  struct Look {
    Touch read;
    u32 run = 0;
    u32 written_at = 0;
  };
  // A volatile read of an old value, or of one that was about to change.
  struct Suspect {
    std::string message, kernel;
    Dim3 block, thread;
    u32 location;
  };
  static constexpr u32 kWidest = 64;
  static constexpr u8 kStaleReads = 64;
  static constexpr u32 kPatience = 3;

  void access(const Event& access);
  void commit(const Event& access, Cell& cell, u32 offset, u32 bytes);
  void check(const Event& access, const Touch& before, u32 offset, bool in_caches = false);
  // `in_caches`: the multiprocessor of `block` may hold the word as it was before.
  bool ordered(const Touch& before, const Block& block, const Touch& now, bool in_caches = false) const;
  // Whether an access of another block comes before one that has acquired so much, on the clock of releases.
  bool covered(const Touch& before, u64 acquired) const;
  void acquire(const Cell& cell, ThreadRecord& thread, Access kind);
  void release(Cell& cell, ThreadRecord& thread, Access kind);
  // Keeps what the cell held before a write that is already, or not yet, in memory.
  void keep_old(Cell& cell, const Touch& now, const void* old, u32 bytes);
  // Whether the access sees another value than the newest.
  bool show_old(const Event& access, Cell& cell, u32 offset, u32 bytes);
  void note_reordered(const Event& access, const Cell& cell, bool sees_old);
  void note_poll(const Event& access);
  void note_volatile(const Event& access, const Cell& cell, u32 offset);
  void suspect(u64 locations, const ThreadRecord& reader, u32 location, std::string message);
  void check_initialised(const Event& access, const Cell& cell, u32 offset, u32 bytes) const;
  void report_race(const Event& access, const Touch& before, u32 offset);
  std::string race_text(const Event& access, const Touch& before, u32 offset) const;
  // What a thread lacks that leaves the synchronisation with other blocks to another thread of its block, or "".
  std::string barrier_text(const Touch& before, const ThreadRecord& thread, const Touch& now) const;
  std::string reordered_text(const ThreadRecord& thread, const Touch& write, const Touch& read) const;
  Cells* page(u64 address);

  std::unordered_map<u64, std::unique_ptr<Cells>> pages_;
  u64 last_page_ = 0;
  Cells* last_cells_ = nullptr;
  u32 runs_ = 0;
  u32 launch_run_ = 0;
  u64 writes_ = 0;                                     // of this launch
  u64 clock_ = 0;                                      // of releases
  std::unordered_map<u32, std::vector<u64>> covered_;  // by block and its fences: when accesses were released
  LoneThreads lone_threads_;
  Event pending_;                                    // a plain write that may prove to change nothing
  u8 before_[kWidest] = {};                            // what it overwrites
  std::vector<Shown> shown_;
  std::vector<bool> racy_reads_, racy_writes_;         // by location
  std::vector<bool> polls_;                            // likewise, in any launch
  std::unordered_map<const Cell*, Look> volatile_looks_;  // of this launch
  std::map<u64, Suspect> suspects_;                    // of this launch, by pair of locations
  std::set<u64> reported_;                             // pairs of locations
};

Races& races();

}  // namespace warpcourt::cpu
