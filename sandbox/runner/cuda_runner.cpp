// The runner of CUDA submissions that were compiled for functional mode: no GPU. See serve.h.
#include <cstdlib>
#include <cstring>
#include <string>

#include "../cpu/runtime/abi.h"
#include "../cpu/runtime/diagnostics.h"
#include "../cpu/runtime/engine.h"
#include "../cpu/runtime/memory.h"
#include "../cpu/runtime/signals.h"
#include "../cpu/runtime/trace.h"
#include "serve.h"
#include "submission.h"
#include "timed_session.h"
#include "wire.h"

namespace warpcourt {
namespace {

constexpr u_int64_t kReservedMib = 128;  // for the process itself

cpu::MemoryKind kind_of(wire::Memory memory) {
  switch (memory) {
    case wire::Memory::kHost: return cpu::MemoryKind::kPageable;
    case wire::Memory::kPinned: return cpu::MemoryKind::kPinned;
    default: return cpu::MemoryKind::kDevice;
  }
}

void* map(int descriptor, const wire::Argument& argument, const char* name) {
  void* memory = cpu::map_argument(descriptor, argument.offset,
                                   {.bytes = argument.bytes,
                                    .kind = kind_of(argument.memory),
                                    .device = argument.device,
                                    .element_bytes = element_bytes(argument.dtype),
                                    .name = name ? name : ""});
  if (!memory) cpu::fail({cpu::Severity::kError, "memory", "an argument cannot be mapped", {}}, wire::kMemoryLimit);
  return memory;
}

cpu::Options options(std::uint32_t flags) {
  return {.deterministic = (flags & (wire::kDeterministic | wire::kRaces)) != 0,
          .races = (flags & wire::kRaces) != 0,
          .reversed = (flags & wire::kReversed) != 0,
          .interleaved = (flags & wire::kInterleaved) != 0,
          .late_reads = (flags & wire::kLateReads) != 0 && (flags & wire::kRaces) != 0,
          .torn_reads = (flags & wire::kTornReads) != 0,
          .stale_reads = (flags & wire::kStaleReads) != 0,
          .counted = (flags & wire::kCount) != 0 && (flags & wire::kRaces) != 0,
          .summed = (flags & wire::kSums) != 0,
          .traced = (flags & wire::kTrace) != 0 && (flags & wire::kCount) != 0 && (flags & wire::kRaces) != 0};
}

int devices(const Message& message) {
  const std::uint32_t devices = message.request.devices;
  if (devices < 1 || devices > wire::kMaxDevices) our_fault("a request for an impossible number of devices");
  return static_cast<int>(devices);
}

class CpuRunner {
 public:
  void prepare(unsigned) {}  // there is no GPU to open

  void load(Message& message) {
    open_diagnostics(message);
    submission_ = load_submission(message);
    cpu::attach_module(*symbol<const cpu::Module>(submission_.library, "warpcourt_module"));
  }

  void run(Message& message) {
    const Arguments arguments = bind_arguments(message, 0, submission_, map);
    const cpu::Options given = options(message.request.flags);
    int trace = -1;
    if (given.traced && !message.descriptors.empty()) {
      trace = message.descriptors.back();
      message.descriptors.pop_back();
    }
    message.close_descriptors();
    cpu::begin_call(given, message.request.time_limit_ms, devices(message), trace);
    call(arguments);
    cpu::finish_call();
    cpu::unmap_arguments();
  }

  void time(Message& message) {
    TimedSession session(message, 0,
                         [&](std::size_t first) { return bind_arguments(message, first, submission_, map); });
    struct Device {
      CpuRunner& runner;
      const TimedSession& session;
      void hold(std::uint64_t) { our_fault("nothing is queued without a GPU"); }
      void call(unsigned set) { runner.call(session.arguments(set)); }
      void release(std::uint64_t) {}
      void finish() {}  // launches here have ended when they return
    } device = {*this, session};
    cpu::begin_call(options(message.request.flags), 0, devices(message));
    session.serve(device);
    cpu::finish_call();
    cpu::unmap_arguments();
  }

 private:
  void call(const Arguments& arguments) {
    call_guarded(submission_, arguments, [](const std::string& what) {
      cpu::fail({cpu::Severity::kError, "exception", what, {}}, wire::kRuntimeError);
    });
  }

  Submission submission_;
};

}  // namespace
}  // namespace warpcourt

// cuda_runner [--memory-mib N] [--processors N]: the first bounds the sandbox, and so the memory of the device; the
// second says on how many OS threads a launch runs, rather than on all that the process may use.
int main(int argc, char** argv) {
  using namespace warpcourt;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--processors") == 0) cpu::engine().processors = static_cast<unsigned>(number);
    if (std::strcmp(argv[i], "--memory-mib") == 0 && number > 2 * kReservedMib) {
      cpu::engine().device_bytes = (number - kReservedMib) << 20;
    }
  }
  cpu::install_signal_handlers();
  cpu::set_last_act(cpu::finish_trace);
  CpuRunner runner;
  serve(runner);
}
