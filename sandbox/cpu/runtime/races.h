// Race mode: who touched each word of memory last, and what orders the accesses.
//
// Theory of operation. Race mode runs a launch on one OS thread, so that the same program gives the same findings
// on every machine. Two accesses to a word by different threads, at least one of them a plain write, race unless
// something orders them:
//
//   two launches       are ordered
//   within a block     by a barrier of the block or a meeting of their warp. Epochs count both
//   between blocks     by a release and an acquire. A block releases when it fences and then writes: what it did
//                      before the fence happens before whoever polls or updates the written word afterwards. Blocks
//                      carry a scalar clock instead of one per block: it may take accesses for ordered that are not,
//                      never the other way round
//
// These do not race: two accesses that are both atomic or polled (volatile, relaxed, acquire, release); a plain write
// and a poll; in global memory a plain read and an atomic update, since programs look before they swap; and a write
// that does not change the value, as when all threads store the same. Whether it did is known at the next event.
//
// A finding is a warning: that a race changes a result is shown by running the threads in other orders, where the
// judge compares the outputs. `is_racy` tells the scheduler which reads and writes to delay for that.
#pragma once

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "abi.h"
#include "shadow_cells.h"

namespace warpcourt::cpu {

struct Block;
struct Launch;
struct ThreadRecord;

class Races {
 public:
  // Before a call of solve: what is known of memory is forgotten, what raced is kept.
  void start_call();
  void start_launch();
  // A block is about to run in `block`.
  void start_block(Block& block);
  void shared(ThreadRecord& thread, u32 offset, u32 bytes, Access kind, u32 location);
  void global(ThreadRecord& thread, u64 address, u32 bytes, Access kind, u32 location);
  void fence(Block& block, bool within_block);
  // Decides about the last write. Call it before memory changes or goes by other means.
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
  static constexpr u32 kWidest = 64;

  void access(const Event& access);
  void commit(const Event& access, Cell& cell, u32 offset);
  void check(const Event& access, const Touch& before, u32 offset);
  bool ordered(const Touch& before, const Block& block, const Touch& now) const;
  void acquire(const Cell& cell, ThreadRecord& thread);
  void release(Cell& cell, ThreadRecord& thread);
  void report_race(const Event& access, const Touch& before, u32 offset);
  Cells* page(u64 address);

  std::unordered_map<u64, std::unique_ptr<Cells>> pages_;
  u64 last_page_ = 0;
  Cells* last_cells_ = nullptr;
  u32 runs_ = 0;
  u32 launch_run_ = 0;
  u64 clock_ = 0;                                      // of releases
  std::unordered_map<u32, std::vector<u64>> covered_;  // by block and its fences: when accesses were released
  Event pending_;                                    // a plain write that may prove to change nothing
  u8 before_[kWidest] = {};                            // what it overwrites
  std::vector<bool> racy_reads_, racy_writes_;         // by location
  std::set<u64> reported_;                             // pairs of locations
};

Races& races();

}  // namespace warpcourt::cpu
