// Joins the streams of a capture. See stream_capture.h.
#include "stream_capture.h"

#include <algorithm>

#include "cuda_error.h"

namespace warpcourt::cpu {

namespace {

template <class Handle>
StreamCapture* capture_with(Handle handle) {
  const auto& all = captures_of_thread();
  const auto found = std::ranges::find_if(all, [&](const auto& capture) { return capture->has(handle); });
  return found == all.end() ? nullptr : found->get();
}

}  // namespace

std::vector<std::unique_ptr<StreamCapture>>& captures_of_thread() {
  thread_local std::vector<std::unique_ptr<StreamCapture>> instances;
  return instances;
}

StreamCapture* capture_of(cudaStream_t stream) { return capture_with(stream); }
StreamCapture* capture_of(cudaEvent_t event) { return capture_with(event); }

cudaError_t refuse_in_capture(StreamCapture& capture, cudaError_t error, const std::string& message) {
  capture.invalidate(message);
  return refuse(error, message);
}

cudaError_t refuse_in_captures(cudaError_t error, const std::string& message) {
  for (const auto& capture : captures_of_thread()) capture->invalidate(message);
  return refuse(error, message);
}

StreamCapture::Branch& StreamCapture::branch_of(cudaStream_t stream) {
  const auto [found, is_new] = known_.try_emplace(stream, static_cast<u32>(graph_.branches.size()));
  if (is_new) graph_.branches.push_back(place_of(stream));
  return found->second;
}

void StreamCapture::submit(cudaStream_t stream, Step step) {
  Branch& own = branch_of(stream);
  ++own.seen[stream];
  graph_.nodes.push_back({GraphNode::Kind::kStep, own.number, 0, std::move(step)});
}

void StreamCapture::record(cudaEvent_t event, cudaStream_t stream, Step step) {
  const Branch& own = branch_of(stream);
  events_.insert_or_assign(event, Record{graph_.events, own.seen});
  graph_.nodes.push_back({GraphNode::Kind::kRecord, own.number, graph_.events++, std::move(step)});
}

void StreamCapture::wait(cudaStream_t stream, cudaEvent_t event) {
  Branch& own = branch_of(stream);
  const Record& record = events_.at(event);
  for (const auto& [other, steps] : record.seen) own.seen[other] = std::max(own.seen[other], steps);
  graph_.nodes.push_back({GraphNode::Kind::kWait, own.number, record.number});
}

bool StreamCapture::is_joined() const {
  const Counts& first = known_.at(first_).seen;
  return std::ranges::all_of(known_, [&](const auto& entry) {
    const auto& [stream, branch] = entry;
    const auto own = branch.seen.find(stream);
    const auto seen = first.find(stream);
    return own == branch.seen.end() || (seen != first.end() && seen->second >= own->second);
  });
}

}  // namespace warpcourt::cpu
