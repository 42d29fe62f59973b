// Counts what each instruction of a kernel asks of memory, as a GPU would serve it.
//
// Theory of operation. A GPU serves a load or store for all lanes of a warp at a time: a request. Global memory moves
// whole sectors of 32 bytes. Shared memory has 32 banks of four bytes and serves as many wavefronts as the busiest bank
// has different words; accesses of 8 and 16 bytes take two and four turns, each for a part of the warp. Threads are
// fibers here and run one after the other, so the addresses of each lane are kept until its block has ended. Then the
// n-th execution of an instruction by each lane of a warp makes one request.
//
// Only runs in race mode are counted: they have one OS thread, and every access calls it (races.h). Accesses to local
// arrays and parameters are not counted, nor are atomic operations, whose addresses depend on the data as a rule. Each
// launch is counted up to kMostOfLaunch accesses and each call up to kMostOfCall, which bounds time and memory.
#pragma once

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

struct Block;
struct Launch;
struct ThreadRecord;

// The sectors of 32 bytes that `bytes` at each address touch.
u32 sectors_of(const std::vector<u64>& addresses, u32 bytes);
// The fewest sectors that can hold what they ask for: bytes that several lanes ask for count once.
u32 fewest_sectors(const std::vector<u64>& addresses, u32 bytes);
// The wavefronts of a request to shared memory, and the fewest for accesses of this size by these lanes.
u32 wavefronts_of(const std::vector<u64>& offsets, const std::vector<u32>& lanes, u32 bytes);
u32 fewest_wavefronts(const std::vector<u32>& lanes, u32 bytes);

class Traffic {
 public:
  void start_call();
  void start_launch() { of_launch_ = 0; }
  void count(const ThreadRecord& thread, bool shared, u64 address, u32 bytes, Access access, u32 site, u32 location);
  // The block has run to its end.
  void end_block(const Block& block);
  // Reports the lines that move much more than they need.
  void report_lines() const;

 private:
  struct Instruction {
    u32 site;  // 0 for shared memory, which has none
    u32 location;
    u32 bytes;
    Access access;
    bool shared;
    auto operator<=>(const Instruction&) const = default;
  };
  struct Warp {
    std::array<std::vector<u64>, 32> lanes;  // the address of each execution
  };
  struct Totals {
    u64 requests = 0;
    u64 lanes = 0;
    u64 bytes = 0;
    u64 units = 0;   // sectors or wavefronts
    u64 fewest = 0;
    std::string kernel;
  };
  using Warps = std::map<std::pair<Instruction, u32>, Warp>;

  std::unordered_map<const Block*, Warps> running_;
  std::map<Instruction, Totals> totals_;
  std::size_t of_launch_ = 0;
  std::size_t of_call_ = 0;
};

Traffic& traffic();

}  // namespace warpcourt::cpu
