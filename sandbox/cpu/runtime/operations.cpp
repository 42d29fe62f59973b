// Submits, postpones and runs operations. See operations.h.
#include "operations.h"

#include <algorithm>

#include "device_variables.h"
#include "devices.h"
#include "engine.h"
#include "link_time.h"

namespace warpcourt::cpu {

Operations& operations() {
  static auto* instance = new Operations;
  return *instance;
}

void Operations::start_call() {
  std::lock_guard lock(mutex_);
  order_.start_call();
  link_time().start_call();
  hazards_.start_call();
  guards_.start_call();
  postponed_.clear();
  asked_.clear();
  ordinal_ = 0;
  too_many_ = false;
}

void Operations::start_case() {
  std::lock_guard lock(mutex_);
  hazards_.clear_suspects();
}

void Operations::finish_call() {
  host_waits_for_all();
  std::lock_guard lock(mutex_);
  guards_.open();
}

bool Operations::watches() const { return watching_ && engine().options.races && !too_many_; }

bool Operations::is_suspect(const Stamp& stamp) const {
  const Options& options = engine().options;
  return (options.reversed || options.interleaved) && !host_polls_ && hazards_.suspects().contains(stamp.ordinal);
}

bool Operations::has_to_wait(const Stamp& stamp) const {
  for (const Pending& other : postponed_) {
    if (covers(stamp.before, other.stamp)) return true;
  }
  return false;
}

cudaError_t Operations::submit(const StreamPlace& place, const Step& step) {
  if (!step.describe) return step.work();
  if (!engine().options.races && device_count() == 1) return step.work();
  std::lock_guard lock(mutex_);
  if (!engine().options.races) {
    use_variables_of(place.device);
    return step.work();
  }
  ++ordinal_;
  if (place.stream == cudaStreamPerThread) watch();
  if (!watches()) {
    link_time().start(nullptr);
    use_variables_of(place.device);
    return step.work();
  }
  Pending pending{{}, step.work, step.describe(), place.device};
  pending.stamp = order_.submit(place, ordinal_, pending.description.devices);
  const Stamp stamp = pending.stamp;
  if (pending.description.on_host) run_until(stamp.before);
  const bool waits = pending.description.host_waits;
  cudaError_t error = cudaSuccess;
  if (is_suspect(stamp) || has_to_wait(stamp)) {
    if (pending.description.keep) pending.work = pending.description.keep();
    postponed_.push_back(std::move(pending));
  } else {
    error = run(std::move(pending));
  }
  if (waits) {
    order_.host_waits_for(stamp);
    host_waited();
  }
  if (postponed_.size() > kMaxPostponed || order_.streams() > kMaxStreams) {
    too_many_ |= order_.streams() > kMaxStreams;
    host_waits_for_all();
  }
  return error;
}

cudaError_t Operations::run(Pending pending) {
  Description& description = pending.description;
  guards_.open();
  recording_ = !description.kernel.empty();
  link_time().start(&pending.stamp);
  use_variables_of(pending.device);
  const cudaError_t error = pending.work();
  if (recording_) description.touched = builder_.finish();
  recording_ = false;
  const bool talks = talks_to_host(description.touched);
  hazards_.add({pending.stamp, pending.device, description.name, description.kernel, description.verb, std::move(description.touched)});
  if (talks) {
    host_polls_ = true;
    order_.host_waits_for(pending.stamp);
    hazards_.forget(order_.host());
  }
  if (!host_polls_) guards_.close(hazards_.guarded());
  return error;
}

void Operations::run_until(const Clock& clock) {
  const auto is_due = [&](const Pending& pending) { return covers(clock, pending.stamp); };
  while (std::any_of(postponed_.begin(), postponed_.end(), is_due)) {
    const auto best = engine().options.interleaved ? next_in_turn() : next_of(clock);
    Pending next = std::move(*best);
    postponed_.erase(best);
    run(std::move(next));
  }
}

Operations::Postponed::iterator Operations::next_of(const Clock& clock) {
  auto best = postponed_.end();
  for (auto it = postponed_.begin(); it != postponed_.end(); ++it) {
    if (!covers(clock, it->stamp) || has_to_wait(it->stamp)) continue;
    const bool suspect = is_suspect(it->stamp);
    // The latest one first, in descending order and among suspects.
    const bool latest_first = suspect || engine().options.reversed;
    const bool better = best == postponed_.end() || suspect < is_suspect(best->stamp) ||
                        (suspect == is_suspect(best->stamp) && latest_first);
    if (better) best = it;
  }
  return best;
}

Operations::Postponed::iterator Operations::next_in_turn() {
  auto best = postponed_.end();
  for (auto it = postponed_.begin(); it != postponed_.end(); ++it) {
    if (has_to_wait(it->stamp)) continue;
    if (best == postponed_.end() || it->stamp.number < best->stamp.number) best = it;
  }
  return best;
}

void Operations::host_waited() {
  run_until(order_.host());
  hazards_.forget(order_.host());
  if (!host_polls_) guards_.close(hazards_.guarded());
}

void Operations::record(cudaEvent_t event, const StreamPlace& place) {
  std::lock_guard lock(mutex_);
  if (watches()) order_.record(event, place);
}

void Operations::wait(const StreamPlace& place, cudaEvent_t event) {
  std::lock_guard lock(mutex_);
  if (watches()) order_.wait(place, event);
}

void Operations::host_waits_for_stream(const StreamPlace& place) {
  std::lock_guard lock(mutex_);
  if (!watches()) return;
  order_.host_waits_for_stream(place);
  host_waited();
}

void Operations::host_waits_for_event(cudaEvent_t event) {
  std::lock_guard lock(mutex_);
  if (!watches()) return;
  order_.host_waits_for_event(event);
  host_waited();
}

bool Operations::stream_has_ended(const StreamPlace& place) {
  std::lock_guard lock(mutex_);
  if (watches() && !order_.host_has_waited_for_stream(place) && asked_.insert(place.stream).second) return false;
  asked_.erase(place.stream);
  host_waits_for_stream(place);
  return true;
}

bool Operations::event_has_happened(cudaEvent_t event) {
  std::lock_guard lock(mutex_);
  if (watches() && !order_.host_has_waited_for(event) && asked_.insert(event).second) return false;
  asked_.erase(event);
  host_waits_for_event(event);
  return true;
}

bool Operations::host_has_waited_for(cudaEvent_t event) {
  std::lock_guard lock(mutex_);
  return !watches() || order_.host_has_waited_for(event);
}

void Operations::host_waits_for_device(int device) {
  std::lock_guard lock(mutex_);
  if (!watching_ || !engine().options.races) return;
  order_.host_waits_for_device(device);
  host_waited();
}

void Operations::host_waits_for_all() {
  std::lock_guard lock(mutex_);
  if (!watching_ || !engine().options.races) return;
  order_.host_waits_for_all();
  host_waited();
}

void Operations::forget(cudaStream_t stream) {
  std::lock_guard lock(mutex_);
  order_.forget(stream);
}

void Operations::forget(cudaEvent_t event) {
  std::lock_guard lock(mutex_);
  order_.forget(event);
}

bool Operations::host_touched(u64 address, bool write) {
  std::lock_guard lock(mutex_);
  if (!guards_.open_at(address, write)) return false;
  hazards_.host_touched(address, write);
  return true;
}

}  // namespace warpcourt::cpu
