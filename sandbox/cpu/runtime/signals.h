// Turns the signals of a crash into a finding.
#pragma once

namespace warpcourt::cpu {

// Once for the process.
void install_signal_handlers();
// Once for each OS thread that runs device code: a handler cannot run on an exhausted stack.
void install_signal_stack();

// Names the CUDA call that touches host memory for the caller, while it lives.
class InApiCall {
 public:
  explicit InApiCall(const char* name);
  ~InApiCall();
};

}  // namespace warpcourt::cpu
