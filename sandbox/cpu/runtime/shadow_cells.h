// What race mode remembers of memory: per word of four bytes, and per byte where a word was accessed in parts.
#pragma once

#include <algorithm>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

// One access, and how far its block and warp had got.
struct Touch {
  u32 epoch = 0;       // meetings of the block, 0: there was no such access
  u32 lane_clock = 0;  // see warp_order.h
  u32 block = 0;       // linear index in the family of grids
  u32 fences = 0;      // of the block before it, see races.h
  u32 location = 0;
  u16 thread = 0;      // linear index in the block
  Access kind = Access::kRead;

  explicit operator bool() const { return epoch != 0; }
};

struct Cell {
  u32 run = 0;           // of the launch, or of the block for shared memory: what is older counts as nothing
  bool written = false;
  bool narrow = false;     // that release was of block scope
  bool by_update = false;  // `update` replaced `old`, not `write`
  bool in_caches = false;  // a block other than that of the last change had read the word plainly before it
  u32 readers[2] = {};     // two such blocks, each plus one; 0: there was none
  u32 copied_by = 0;       // location of the asynchronous copy to here that nothing has waited for
  u8 stale_reads = 0;      // how many more may see `old`
  u32 old = 0;             // the value before the last change
  u16 releaser = 0;      // the thread that released last through this cell
  u32 releaser_block = 0;
  u64 released = 0;      // when, on the clock of releases; 0: never
  u64 changed = 0;       // when it was written last, see SeenWrite
  Touch write;           // the last plain one that changed the value
  Touch update;          // the last one since that was atomic or polled
  Touch read;            // the last plain one
  Touch neighbour;       // the last plain one by another thread of the same block
  Touch foreign;         // the last plain one by another block
};

// A write whose value a thread has got from a polled read. Writes of a launch are numbered.
struct SeenWrite {
  Touch write;
  u64 number = 0;
  u32 read_at = 0;  // location
};

// The cells of a stretch of memory.
class Cells {
 public:
  explicit Cells(u32 bytes = 0) { resize(bytes); }
  void resize(u32 bytes) {
    words_.resize((bytes + kWord - 1) / kWord);
    split_.resize(words_.size());
  }
  u32 bytes() const { return static_cast<u32>(words_.size()) * kWord; }

  // Calls visit(cell, offset, bytes) for each cell of an aligned access.
  template <class Visit>
  void visit(u32 offset, u32 bytes, Visit visit) {
    for (u32 word = offset / kWord; word * kWord < offset + bytes; ++word) {
      if (bytes < kWord && !split_[word]) split(word);
      if (!split_[word]) {
        visit(words_[word], word * kWord, kWord);
        continue;
      }
      const u32 end = std::min(offset + bytes, (word + 1) * kWord);
      for (u32 byte = std::max(offset, word * kWord); byte < end; ++byte) visit(parts_[byte], byte, 1u);
    }
  }

 private:
  static constexpr u32 kWord = 4;

  void split(u32 word) {
    if (parts_.size() < bytes()) parts_.resize(bytes());
    for (u32 byte = 0; byte < kWord; ++byte) {
      Cell& part = parts_[word * kWord + byte] = words_[word];
      part.old = words_[word].old >> 8 * byte & 0xff;
    }
    split_[word] = true;
  }

  std::vector<Cell> words_;
  std::vector<Cell> parts_;  // one for each byte, once there are any
  std::vector<bool> split_;
};

}  // namespace warpcourt::cpu
