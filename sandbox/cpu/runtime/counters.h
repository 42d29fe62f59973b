// A counting run: what a kernel asks of a GPU, counted exactly for each source line.
//
// Theory of operation. A GPU executes an instruction for all lanes of a warp at a time. Threads are fibers here and run
// one after the other, so each counter keeps what a lane brings until its block has ended. Then the n-th execution of an
// instruction by each lane of a warp makes one execution by the warp.
//
//   traffic    sectors, wavefronts, and lanes that update one address (traffic.h)
//   launches   many small ones (small_launches.h)
//   alignment  contiguous requests that start within a sector (alignment.h)
//   reuse      bytes that a block loads again and again (reuse.h)
//   branches   warps whose lanes take different sides (branches.h)
//   doubles    instructions in double precision, by the PTX (doubles.h)
//   executed   instructions of the kinds that a requirement names (executed.h), and products that tensor cores could
//              compute (tensor_cores.h)
//   cancelled  subtractions that leave few bits (cancellation.h)
//   rounded    sums whose rounding errors add up (rounded_sums.h)
//   spills     registers in local memory, by ptxas (spills.h)
//   waits      of the host between kernels (needless_waits.h)
//   pageable   copies that make the host wait, or could be faster (pageable_copies.h)
//   trace      calls of the CUDA runtime (host_trace.h), and the shapes of launches (sums.h)
//
// Only runs in race mode count: they have one OS thread, and every access calls the runtime (races.h). Every counter
// stops at kMostOfLaunch events of a launch and kMostOfCall of a call, which bounds time and memory; a call whose sums
// are reported (sums.h) may have kMostSummed. Each reports the lines that waste much as notes at the end of the call; the
// judge keeps them for accepted programs only. A further note has the sums of each kernel, wasteful or not
// (judge/evidence/counts.py reads it). A traced run also keeps the order of what it counts (trace.h).
#pragma once

#include <map>
#include <span>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

struct Block;
struct Launch;
struct MemoryInstruction;
struct ThreadRecord;

// How many events a counter may still keep.
class Budget {
 public:
  void start_call(bool summed) {
    of_launch_ = of_call_ = 0;
    exhausted_ = false;
    most_of_launch_ = summed ? kMostSummed : kMostOfLaunch;
    most_of_call_ = summed ? kMostSummed : kMostOfCall;
  }
  void start_launch() { of_launch_ = 0; }
  bool take() {
    if (of_launch_ >= most_of_launch_ || of_call_ >= most_of_call_) {
      exhausted_ = true;
      return false;
    }
    ++of_launch_;
    ++of_call_;
    return true;
  }
  // Whether an event was not counted.
  bool exhausted() const { return exhausted_; }

 private:
  static constexpr u64 kMostOfLaunch = u64{1} << 17;
  static constexpr u64 kMostOfCall = u64{1} << 20;
  static constexpr u64 kMostSummed = u64{1} << 22;
  u64 most_of_launch_ = kMostOfLaunch;
  u64 most_of_call_ = kMostOfCall;
  u64 of_launch_ = 0;
  u64 of_call_ = 0;
  bool exhausted_ = false;
};

// The sums of one kernel over the launches of a call. `fewest` are those that would be enough.
struct KernelCounts {
  u64 global_requests = 0, sectors = 0, fewest_sectors = 0;
  u64 shared_requests = 0, wavefronts = 0, fewest_wavefronts = 0;
  u64 atomic_requests = 0, atomic_turns = 0;  // a turn serves one lane of those at one address
  u64 branches = 0, divergent = 0;            // executions by warps
};
using CountsByKernel = std::map<std::string, KernelCounts>;

// Before a call of solve, before a launch, at an access, after a block has run to its end, after a call.
void start_counting_call();
void start_counting_launch(const Launch& launch);
// An access to global or shared memory. In shared memory, `address` is an offset.
void count_access(const ThreadRecord& thread, const MemoryInstruction& by, u64 address);
// A fetch from a texture, or an access to a surface: the addresses of the texels that it needs, none beyond a border.
void count_fetch(const ThreadRecord& thread, const MemoryInstruction& by, std::span<const u64> texels);
// The last access of the thread to global memory is that of an asynchronous copy.
void count_async_copy(const ThreadRecord& thread);
// A copy or fill by the runtime touches rows of device memory.
void count_rows(u64 base, u64 row_bytes, u64 rows, u64 pitch);
void count_finished_block(const Block& block);
void report_counts();

// "3.5"
std::string rounded(double value);
// `part / whole`, 0 where there is nothing.
double average(u64 part, u64 whole);
// A note about a line of the submission; lines of libraries get none.
void note_line(const char* kind, const std::string& kernel, u32 location, const std::string& message);

}  // namespace warpcourt::cpu
