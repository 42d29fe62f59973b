// The engine's state for one process: options, the loaded module, and the calls the runner makes.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

struct Options {
  bool deterministic = false;  // one OS thread, blocks and threads in a fixed order
  bool races = false;          // shadow memory: races and uninitialised reads
  bool reversed = false;       // blocks, and the threads of a block, start in descending order
  bool interleaved = false;    // with `races`: threads take turns at every access
  bool late_reads = false;     // with `races`: reads that raced wait for the other threads of their block
  bool torn_reads = false;     // with `late_reads`: the first such read after a barrier does not wait
  bool stale_reads = false;    // with `races`: what nothing orders after a write sees the value before it, for a while
  bool counted = false;        // with `races`: see counters.h
  bool summed = false;         // with `counted`: report the sums over the call (sums.h)
  bool traced = false;         // with `counted`: write a trace (trace.h)

  // Whether a call with these options is the first one of a case. Those in other orders follow it.
  bool first_order() const { return !reversed && !interleaved && !late_reads; }
};

struct Engine {
  Options options;
  const Module* module = nullptr;
  u64 device_bytes = u64{4} << 30;  // memory of all devices
  int devices = 1;                  // see devices.h
  int process = getpid();           // a forked one has no device
  unsigned processors = 0;          // OS threads that run a launch at most; 0: as many as the process may use
};

Engine& engine();

// The byte that fresh memory holds: in each order another one, so that no program is right by it in all of them.
// In floating point it makes NaN, a large positive number and a large negative one; in integers -1 (or the largest), a
// large positive number and a negative one.
u8 poison();

// Fills fresh memory of any kind with poison. In the interleaved order, every second word is 1: a program may compare
// marks that it has never cleared with 1, and takes no other poison for such a mark.
void spoil(void* memory, u64 bytes);

// Makes a loaded module's kernels and variables known. Called once, before any launch.
void attach_module(const Module& module);

// Before and after each call of solve, which may use that many devices. A traced call writes to the memory of `trace`. `finish_call` ends the process when a CUDA error went unnoticed.
void begin_call(const Options& options, u32 time_limit_ms, int devices, int trace = -1);
void finish_call();

}  // namespace warpcourt::cpu
