// The calls by which the runner drives the engine.
#include "engine.h"

#include <cstdio>
#include <cstring>

#include "counters.h"
#include "cuda_error.h"
#include "deadline.h"
#include "devices.h"
#include "diagnostics.h"
#include "leaks.h"
#include "memory.h"
#include "operations.h"
#include "races.h"
#include "scheduler.h"
#include "sums.h"
#include "trace.h"

namespace warpcourt::cpu {

Engine& engine() {
  static auto* instance = new Engine;
  return *instance;
}

u8 poison() {
  const Options& options = engine().options;
  return options.interleaved ? 0xfa : options.reversed ? 0x7a : 0xff;
}

void spoil(void* memory, u64 bytes) {
  std::memset(memory, poison(), bytes);
  if (!engine().options.interleaved) return;
  constexpr u32 kMark = 1;
  for (u64 at = sizeof kMark; at + sizeof kMark <= bytes; at += 2 * sizeof kMark) {
    std::memcpy(static_cast<u8*>(memory) + at, &kMark, sizeof kMark);
  }
}

void begin_call(const Options& options, u32 time_limit_ms, int devices, int trace) {
  engine().options = options;
  if (options.first_order()) {
    races().start_case();
    operations().start_case();
    start_case_of_findings();
  }
  engine().devices = devices;
  set_current_device(0);
  if (options.races) {
    races().start_call();
    operations().start_call();
    if (devices > 1) operations().watch();  // what two devices do has no order of its own
  }
  start_leaks();
  if (options.counted) start_counting_call();
  if (options.traced) tracer().start_call(trace);
  start_turns();
  clear_error();
  start_deadline(time_limit_ms);
}

void finish_call() {
  operations().finish_call();
  stop_deadline();
  report_leaks();
  if (engine().options.traced) tracer().finish_call();
  std::fflush(stdout);
  if (engine().options.counted) report_counts();
  if (engine().options.counted && engine().options.summed) report_sums();
  if (last_error() == cudaSuccess) return;
  fail({Severity::kError, "cuda_error",
        std::string("solve() ended with ") + cudaGetErrorName(last_error()) + ", which it did not check: " +
            last_message(),
        {}},
       wire::kRuntimeError);
}

}  // namespace warpcourt::cpu
