// A traced run: the order in which the warps of a program use memory, branch and wait, for the replay of a case.
//
// Theory of operation. Like the counters (counters.h), a trace keeps what each lane does until its block has ended, and
// then makes one event of the n-th execution of an instruction by the lanes of a warp. The events of a warp are ordered
// by the barriers that its lanes have passed, and between two barriers by the lane that took most steps to get there.
//
// A trace has a bounded size. Each thread is recorded up to its share of kMostAccesses by one warp. If all threads
// together exceed kMostAccesses, blocks are left out: every second one, then three of four, and so on until only the
// first block of each launch is left, and then warps of it in the same way. What is kept is therefore complete for its
// warp. If the first warps of all launches are still too much, later launches are left out.
//
// The judge passes memory for the trace with the call (trace_format.h has the layout), and reads it after the call, whether
// that ended well or not. So the trace is written at the end of the call, and by whatever ends the process
// with a finding. It holds addresses within arrays, and no values.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi.h"
#include "requests.h"
#include "trace_format.h"

namespace warpcourt::cpu {

struct Launch;

class Trace {
 public:
  // Begins a trace that goes to the memory of `descriptor`, which is taken over.
  void start_call(int descriptor);
  void start_launch(const Launch& launch);
  void access(const ThreadRecord& thread, bool shared, u64 address, u32 bytes, Access access, u32 site, u32 location);
  void branch(const ThreadRecord& thread, bool taken, u32 branch, u32 location);
  void barrier(const ThreadRecord& thread, u32 location);
  void end_block(const Block& block);
  // Writes the trace, once, with what the blocks under way have done. Safe from any thread and in a signal handler.
  void finish_call();

 private:
  struct Instruction {
    u32 warp;
    trace::Kind kind;
    bool shared;
    u32 site;
    u32 location;
    u32 bytes;
    auto operator<=>(const Instruction&) const = default;
  };
  // What a lane brings to an event. Epochs are the barriers that it has passed, steps its events since the last one.
  struct Part {
    u32 value;  // an address, or whether a branch was taken
    u32 epoch;
    u32 step;
  };
  struct Progress {
    u32 epoch = 0;
    u32 step = 0;
    u32 events = 0;
  };
  struct Running {
    u32 launch;
    u32 number;
    std::vector<Progress> threads;
    std::map<Instruction, OfLanes<Part>> parts;
  };
  struct Event {
    trace::Event head;
    u32 step;
    std::vector<u32> addresses;
  };

  // Where the thread's next event goes, or null if it is not recorded.
  Running* place(const ThreadRecord& thread, Progress*& progress);
  void add(const ThreadRecord& thread, Running& running, Progress& progress, const Instruction& instruction, u32 value);
  bool keeps(u32 launch, u32 block, u32 warp) const;
  void thin_out();
  void store(const Running& running);
  // The address in the trace's own space, or nothing if the trace has no room for the array.
  std::optional<u32> virtual_address(u64 address);
  void write(u8* memory, std::size_t bytes) const;

  std::timed_mutex mutex_;
  int descriptor_ = -1;
  bool full_ = false;       // nothing more is recorded
  bool shortened_ = false;  // a thread did more than is recorded
  u32 level_ = 0;           // of thinning out
  u32 deepest_ = 0;         // the level at which each launch has only its first warp
  u64 kept_ = 0;            // events of lanes, in `events_` and `running_`
  u64 next_address_ = 0;
  u64 launch_number_ = 0;
  std::vector<trace::Launch> launches_;
  std::vector<trace::Array> arrays_;
  std::vector<u64> bases_;  // real ones, of `arrays_`
  std::size_t last_array_ = 0;
  std::vector<Event> events_;
  std::unordered_map<const Block*, Running> running_;
};

Trace& tracer();
// Writes the trace of a traced call that ends early.
void finish_trace();

}  // namespace warpcourt::cpu
