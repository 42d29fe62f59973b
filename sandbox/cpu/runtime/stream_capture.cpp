// Joins the streams of a capture. See stream_capture.h.
#include "stream_capture.h"

#include <algorithm>

namespace warpcourt::cpu {

void StreamCapture::wait(cudaStream_t stream, cudaEvent_t event) {
  Counts& own = known_[stream];
  for (const auto& [other, steps] : events_.at(event)) own[other] = std::max(own[other], steps);
}

bool StreamCapture::is_joined() const {
  const Counts& first = known_.at(first_);
  return std::ranges::all_of(known_, [&](const auto& entry) {
    const auto& [stream, counts] = entry;
    const auto own = counts.find(stream);
    const auto seen = first.find(stream);
    return own == counts.end() || (seen != first.end() && seen->second >= own->second);
  });
}

}  // namespace warpcourt::cpu
