// Starts and ends all counters of a counting run. See counters.h.
#include "counters.h"

#include <cstdio>

#include "alignment.h"
#include "branches.h"
#include "cancellation.h"
#include "diagnostics.h"
#include "doubles.h"
#include "engine.h"
#include "executed.h"
#include "host_trace.h"
#include "launch.h"
#include "memory.h"
#include "needless_waits.h"
#include "pageable_copies.h"
#include "relays.h"
#include "reuse.h"
#include "rounded_sums.h"
#include "small_launches.h"
#include "spills.h"
#include "sums.h"
#include "tensor_cores.h"
#include "trace.h"
#include "traffic.h"

namespace warpcourt::cpu {

namespace {

std::string of(u64 number, const char* noun) { return count(number, noun) + " of "; }

void report_kernels() {
  CountsByKernel kernels;
  traffic().add_to(kernels);
  branches().add_to(kernels);
  for (const auto& [name, sums] : kernels) {
    report({Severity::kNote, "counts",
            count(sums.global_requests, "request") + " to global memory: " + of(sums.fewest_sectors, "necessary sector") +
                std::to_string(sums.sectors) + "; " + count(sums.shared_requests, "request") + " to shared memory: " +
                of(sums.fewest_wavefronts, "necessary wavefront") + std::to_string(sums.wavefronts) + "; " +
                count(sums.atomic_requests, "atomic request") + " in " + count(sums.atomic_turns, "turn") + "; " +
                of(sums.divergent, "divergent branch execution") + std::to_string(sums.branches),
            {name}});
  }
}

}  // namespace

void start_counting_call() {
  small_launches().start_call();
  traffic().start_call();
  alignment().start_call();
  reuse().start_call();
  branches().start_call();
  doubles().start_call();
  cancellations().start_call();
  rounded_sums().start_call();
  spills().start_call();
  pageable_copies().start_call();
  needless_waits().start_call();
  tally().start_call();
  executed().start_call();
  host_trace().start_call(live_memory().allocations);
  relays().start_call();
  start_memory_peak();
}

void start_counting_launch(const Launch& launch) {
  tally().start_launch(launch);
  traffic().start_launch();
  branches().start_launch();
  rounded_sums().start_launch();
  doubles().start_launch(*launch.kernel);
  spills().start_launch(launch);
  small_launches().count(launch);
  if (engine().options.traced) tracer().start_launch(launch);
}

void count_access(const ThreadRecord& thread, const MemoryInstruction& by, u64 address) {
  traffic().count(thread, by, address);
  if (engine().options.traced) {
    tracer().access(thread, by.shared(), address, by.bytes, by.access, by.site, by.location);
  }
}

void count_fetch(const ThreadRecord& thread, const MemoryInstruction& by, std::span<const u64> texels) {
  traffic().count_fetch(thread, by, texels);
}

void count_async_copy(const ThreadRecord& thread) { traffic().count_async_copy(thread); }

void count_rows(u64 base, u64 row_bytes, u64 rows, u64 pitch) { traffic().count_rows(base, row_bytes, rows, pitch); }

void count_finished_block(const Block& block) {
  tally().end_block();
  traffic().end_block(block);
  branches().end_block(block);
  rounded_sums().end_block(block);
  executed().end_block(block);
  if (engine().options.traced) tracer().end_block(block);
}

void report_counts() {
  traffic().report_lines();
  alignment().report_lines();
  reuse().report_lines();
  branches().report_lines();
  doubles().report_lines();
  cancellations().report_lines();
  rounded_sums().report_lines();
  spills().report_kernels();
  pageable_copies().report_calls();
  needless_waits().report_calls();
  report_unused_tensor_cores();
  small_launches().end_call();
  tally().report_children();
  report_kernels();
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

double average(u64 part, u64 whole) { return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

void note_line(const char* kind, const std::string& kernel, u32 location, const std::string& message) {
  if (line_number(location) == 0) return;
  report({Severity::kNote, kind, message, {kernel, nullptr, nullptr, location}});
}

}  // namespace warpcourt::cpu
