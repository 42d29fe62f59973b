// The sums over one call of solve that the requirements of a problem are compared with.
//
// Theory of operation. The counters of a counting run (counters.h) keep totals for each line. At the end of a call they
// add these up here, and one note of the kind `sums` says them, with the line that wastes most of each and the line that
// requests most. The judge reads it in judge/evidence/sums.py. What did not happen is left out.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

struct Launch;

// Of one kind of instruction: executions by warps, what these cost, and the least that they could cost.
class Sum {
 public:
  void add(u32 location, u64 requests, u64 units, u64 fewest);
  // "128/4096/512@17/9": the line that wastes most, then the line that requests most if it is another one. Without
  // lines if the submission has none.
  std::string text() const;
  // "128@17", or "" without requests.
  std::string requests() const;
  bool empty() const { return requests_ == 0; }

 private:
  struct Line {
    u64 requests = 0;
    u64 units = 0;
    u64 fewest = 0;
  };
  u32 worst_line() const;
  u32 busiest_line() const;

  u64 requests_ = 0;
  u64 units_ = 0;
  u64 fewest_ = 0;
  std::map<u32, Line> lines_;  // by location
};

struct Sums {
  Sum global_load;   // units: sectors
  Sum global_store;
  Sum shared;        // units: wavefronts
  Sum texture;       // units: sectors, of fetches from textures and accesses to surfaces
  Sum async_load;    // those of global_load that asynchronous copies make, again
  Sum global_atomic;  // those of atomic on global memory, again; units: sectors
  Sum host;          // accesses to memory that host code can use, again; units: sectors
  Sum peer;          // bytes of accesses to memory of other devices
  Sum copied;        // units: sectors of device memory that the runtime copies or fills
  Sum atomic;        // units: lanes at the address that most lanes of a request use
  Sum branch;        // units: executions in which a warp split
  Sum vector;        // those of global memory with 16 bytes for each lane, again
  u64 kernel_requests = 0;  // to global memory and textures
  u64 busiest_block = 0;    // those of the block, and of the launch, that made most
  u64 busiest_launch = 0;
  bool complete = true;
};

// What is counted as it happens.
class Tally {
 public:
  void start_call();
  void start_launch(const Launch& launch);
  // A launch by device code, in a line of the kernel `parent`.
  void count_child(const std::string& parent, const std::string& child, u32 location) {
    ++children_[{parent, child, location}];
  }
  // A note for each kernel that launched, and line.
  void report_children() const;
  void start_library_launch() { ++launches_; }  // whose resources nothing bounds
  void end_block() { ++blocks_; }
  void count_barrier() { ++barriers_; }
  std::string text() const;
  // " shape=40/0/16/4096/128@7": the registers, spilled bytes and local bytes of each thread, or "?" if ptxas was not
  // asked; the shared bytes and threads of each block; and the line of the kernel.
  std::string shapes() const;

 private:
  static constexpr std::size_t kMaxShapes = 16;
  using ChildSite = std::tuple<std::string, std::string, u32>;  // both kernels, and the location
  std::map<ChildSite, u64> children_;
  std::vector<std::string> shapes_;  // each once
  bool more_shapes_ = false;
  u64 launches_ = 0;
  u64 blocks_ = 0;
  u64 barriers_ = 0;
};

Tally& tally();
void report_sums();

}  // namespace warpcourt::cpu
