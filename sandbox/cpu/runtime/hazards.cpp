// Compares operations and words the findings. See hazards.h.
#include "hazards.h"

#include <algorithm>

#include "diagnostics.h"
#include "memory.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kElement = 4;  // bytes, where the type of an array is unknown

std::string what_is_at(u64 address) {
  const std::optional<Allocation> near = nearest_allocation(address);
  return near ? near->element(address, kElement) + " of " + near->text() : "memory";
}

std::string argument_at(u64 address) {
  const std::optional<Allocation> within = live_allocation(address);
  return within && within->argument ? within->name : "";
}

// Whether it is in a variable that each device has for itself.
bool is_of_each_device(u64 address) {
  const std::optional<Allocation> within = live_allocation(address);
  return within && within->kind == MemoryKind::kVariable;
}

std::string subject(const Done& done, u32 location) {
  const std::string stream = done.stamp.stream ? "stream " + std::to_string(done.stamp.stream) : "the default stream";
  return done.name + in_line(location) + " in " + stream;
}

std::string verb(const Done& done, Use use) {
  if (done.verb) return done.verb;
  return use == Use::kReads ? "reads" : use == Use::kWrites ? "writes" : "updates";
}

}  // namespace

void Hazards::start_call() {
  kept_.clear();
  runs_ = 0;
}

void Hazards::add(Done done) {
  for (const Done& other : kept_) {
    if (!unordered(other.stamp, done.stamp)) continue;
    const bool first = other.stamp.ordinal < done.stamp.ordinal;
    compare(first ? other : done, first ? done : other);
  }
  if (kept_.size() >= kMaxKept || runs_ + done.touched.size() > kMaxRuns) return;
  runs_ += done.touched.size();
  add_host_pages(done.touched, done.pages);
  kept_.push_back(std::move(done));
}

void Hazards::compare(const Done& before, const Done& after) {
  const std::optional<Clash> clash = before.touched.clash(after.touched);
  if (!clash || (before.device != after.device && is_of_each_device(clash->address))) return;
  suspects_.insert(before.stamp.ordinal);
  report({Severity::kWarning, "stream_hazard",
          "stream hazard on " + what_is_at(clash->address) + ": " + subject(before, clash->first_location) + ' ' +
              verb(before, clash->first) + " it, " + subject(after, clash->second_location) + ' ' +
              verb(after, clash->second) +
              " it, and nothing orders the two. Record an event after the first and let the second stream wait for it "
              "(cudaStreamWaitEvent), or synchronise the first stream before.",
          {after.kernel.empty() ? before.kernel : after.kernel, nullptr, nullptr,
           clash->second_location ? clash->second_location : clash->first_location},
          argument_at(clash->address)});
}

void Hazards::host_touched(u64 address, bool write) {
  for (Done& done : kept_) {
    const bool changes = done.touched.has(Use::kWrites, address) || done.touched.has(Use::kUpdates, address);
    if (done.told || (!changes && !(write && done.touched.has(Use::kReads, address)))) continue;
    done.told = true;
    suspects_.insert(done.stamp.ordinal);
    report({Severity::kWarning, "stream_hazard",
            "stream hazard on " + what_is_at(address) + ": host code " + (write ? "writes" : "reads") + " it while " +
                subject(done, 0) + " may still " + (changes ? "write" : "read") +
                " it. Synchronise the stream first (cudaStreamSynchronize), or an event after the operation.",
            {done.kernel, nullptr, nullptr, 0}});
  }
}

void Hazards::forget(const Clock& host) {
  std::erase_if(kept_, [&](const Done& done) { return covers(host, done.stamp); });
  runs_ = 0;
  for (const Done& done : kept_) runs_ += done.touched.size();
}

GuardedPages Hazards::guarded() const {
  GuardedPages pages;
  for (const Done& done : kept_) {
    if (done.told) continue;
    for (const auto& [page, reads_too] : done.pages) pages[page] |= reads_too;
  }
  return pages;
}

}  // namespace warpcourt::cpu
