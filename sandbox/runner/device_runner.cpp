// The runner of compiled CUDA submissions on a GPU. See serve.h for the conversation.
//
// Theory of operation. "Ready" is said without a context, so that a pool can keep us waiting at no cost to the GPU.
// PREPARE makes the context, before any foreign code; the artifact's own CUDA runtime joins it later, because
// it is the device's primary one. LOAD first gives up the right to start processes (lockdown.h). Arrays are
// device memory of the referee's, mapped for one RUN or TIME from descriptors and nothing else (device_memory.h), or
// host memory of its own, where a problem says so (host_arrays.h).
//
// A problem for several devices makes PREPARE open all that the sandbox shows, outside MPS. The referee's memory is on
// the first. The program gets copies in plain memory of the device that each array belongs to, with the guard bands, because peer
// access as programs enable it does not cover mapped memory. They go back after the call.
//
// Ending while a kernel runs would, under MPS, end the kernels of everybody else on the GPU. So whoever has
// something to say says it at once, but the process leaves only when the device is idle; a kernel that never
// ends is left for the referee, who asks the MPS daemon to end it. Without MPS nobody minds, and we leave.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../cpu/runtime/diagnostics.h"
#include "crash.h"
#include "device_faults.h"
#include "device_memory.h"
#include "driver.h"
#include "finish.h"
#include "host_arrays.h"
#include "lockdown.h"
#include "serve.h"
#include "submission.h"
#include "timed_session.h"
#include "watchdog.h"
#include "wire.h"

namespace warpcourt {
namespace {

using device::driver;
using device::Result;

constexpr char kNullKernel[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry warpcourt_null() { ret; }
)";
constexpr Launch kNoLaunch = {};

// Sandboxes without MPS are told of a directory that does not exist.
bool mps_is_here() {
  const char* directory = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  return directory && access((std::string(directory) + "/control").c_str(), F_OK) == 0;
}

class DeviceRunner {
 public:
  DeviceRunner() : arrays_(driver_failed), host_arrays_(driver_failed), watchdog_(expire) {}

  void prepare(unsigned devices) {
    if (devices < 1 || devices > wire::kMaxDevices) our_fault("a request for an impossible number of devices");
    if (prepared_ && contexts_.size() == devices) {  // ahead of time; the context may be lost by now
      call_null();
      require("cuCtxSynchronize", driver().cuCtxSynchronize());
      return;
    }
    const std::string wrong = device::load_driver();
    if (!wrong.empty()) our_fault(wrong.c_str());
    shared_by_mps_ = mps_is_here();
    require("cuInit", driver().cuInit(0));
    for (unsigned number = 0; number < devices; ++number) contexts_.push_back(open(static_cast<int>(number)));
    require("cuDeviceGet", driver().cuDeviceGet(&device_, 0));
    context_ = contexts_.front();
    require("cuCtxSetCurrent", driver().cuCtxSetCurrent(context_));
    device::Module module;
    require("cuModuleLoadData", driver().cuModuleLoadData(&module, kNullKernel));
    require("cuModuleGetFunction", driver().cuModuleGetFunction(&null_kernel_, module, "warpcourt_null"));
    read_limits();
    arrays_.open(device_, context_);
    call_null();
    require("cuCtxSynchronize", driver().cuCtxSynchronize());
    prepared_ = true;
  }

  void load(Message& message) {
    require_prepared();
    open_diagnostics(message);
    if (!forbid_processes()) our_fault("the kernel refused the system call filter");
    submission_ = load_submission(message);
    finish_ = symbol<FinishCall>(submission_.library, "warpcourt_finish");
    last_launch_ = symbol<LastLaunch>(submission_.library, "warpcourt_last_launch");
  }

  void run(Message& message) {
    const Arguments arguments = bind(message, 0);
    message.close_descriptors();
    const unsigned long long launches = last_launch_()->count;
    watchdog_.set(message.request.time_limit_ms);
    call(arguments);
    finish();
    watchdog_.set(0);
    if (late_) _exit(wire::kTimeLimit);
    note_launches(launches);
    release();
  }

  void time(Message& message) {
    const device::Pointer flags = arrays_.map_plain(message.descriptors.at(1), wire::kFlagsBytes);
    TimedSession session(message, 1, [&](std::size_t first) { return bind(message, first); });
    struct Timed {
      DeviceRunner& runner;
      const TimedSession& session;
      device::Pointer flags;
      // On the legacy default stream, for which all others wait but those that are made not to.
      void hold(std::uint64_t number) {
        runner.require("cuStreamWaitValue64",
                       driver().cuStreamWaitValue64_v2(nullptr, flags + wire::kGoFlag, number, device::kWaitAtLeast));
      }
      void call(unsigned set) { runner.call(session.arguments(set)); }
      void release(std::uint64_t number) {
        runner.require("cuStreamWriteValue64",
                       driver().cuStreamWriteValue64_v2(nullptr, flags + wire::kDoneFlag, number, 0));
      }
      void finish() { runner.finish(); }
    } timed = {*this, session, flags};
    session.serve(timed);
    release();
  }

  // A fault may come to light after the call that caused it was answered. It also keeps us from leaving with work
  // on the GPU.
  void quit() {
    if (submission_.call) finish();
  }

  // The last launch, as far as it is known; for words alone.
  Launch last_launch() const { return last_launch_ ? *last_launch_() : kNoLaunch; }

  const device::MappedArray* array_at(std::uint64_t address) const { return arrays_.find(address); }
  const device::HostArray* host_array_at(std::uint64_t address) const { return host_arrays_.find(address); }

  // Says the last word, and leaves when that hurts nobody.
  [[noreturn]] void leave(const cpu::Finding& finding, wire::ExitStatus status) {
    late_ = status == wire::kTimeLimit;
    cpu::report_last(finding);
    std::fflush(stdout);
    if (shared_by_mps_ && driver().cuCtxSetCurrent(context_) == device::kSuccess) driver().cuCtxSynchronize();
    _exit(status);
  }

 private:
  static void driver_failed(Result result, const char* call);
  static void expire(std::uint32_t limit_ms);

  void require(const char* call, Result result) {
    if (result != device::kSuccess) driver_failed(result, call);
  }

  device::Context open(int number) {
    device::Device opened = 0;
    device::Context context = nullptr;
    require("cuDeviceGet", driver().cuDeviceGet(&opened, number));
    // Between orders of a timed session nothing may be slow to wake.
    require("cuDevicePrimaryCtxSetFlags", driver().cuDevicePrimaryCtxSetFlags_v2(opened, device::kSpin));
    require("cuDevicePrimaryCtxRetain", driver().cuDevicePrimaryCtxRetain(&context, opened));
    return context;
  }

  void require_prepared() const {
    if (!prepared_) our_fault("this runner needs PREPARE first");
  }

  void read_limits() {
    const auto attribute = [&](device::Attribute which) {
      int value = 0;
      require("cuDeviceGetAttribute", driver().cuDeviceGetAttribute(&value, which, device_));
      return static_cast<std::uint64_t>(value);
    };
    using namespace device;
    limits_ = {.launch = {.threads = attribute(kMaxThreadsPerBlock),
                          .block = {attribute(kMaxBlockX), attribute(kMaxBlockY), attribute(kMaxBlockZ)},
                          .grid = {attribute(kMaxGridX), attribute(kMaxGridY), attribute(kMaxGridZ)}},
               .shared_bytes = attribute(kMaxSharedPerBlock),
               .shared_bytes_optin = attribute(kMaxSharedPerBlockOptin)};
  }

  Arguments bind(Message& message, std::size_t first) {
    const bool exact = (message.request.flags & wire::kSanitize) != 0;
    const bool copied = exact || contexts_.size() > 1;
    return bind_arguments(message, first, submission_,
                          [&](int descriptor, const wire::Argument& argument, const char* name) {
                            return argument.memory == wire::Memory::kDevice
                                       ? arrays_.map(descriptor, argument, name,
                                                     {copied ? context_of(argument) : nullptr, exact})
                                       : host_arrays_.map(descriptor, argument, name);
                          });
  }

  device::Context context_of(const wire::Argument& argument) const {
    if (argument.device >= contexts_.size()) our_fault("an array on a device that was not opened");
    return contexts_[argument.device];
  }

  void release() {
    arrays_.release();
    host_arrays_.release();
  }

  void call(const Arguments& arguments) {
    call_guarded(submission_, arguments, [this](const std::string& what) {
      leave({cpu::Severity::kError, "exception", what, {}}, wire::kRuntimeError);
    });
  }

  void call_null() {
    require("cuLaunchKernel", driver().cuLaunchKernel(null_kernel_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  }

  // Waits for the device and ends the process if anything went wrong. Of several devices, the program may have left any
  // one current. Afterwards the first one is.
  void finish() {
    Finish finish = {};
    finish_(&finish);
    if (!finish.launch_error && !finish.sync_error) {
      finish_others();
      return;
    }
    const Result result = finish.sync_error ? finish.sync_error : finish.launch_error;
    if (device::is_ours(result)) our_fault(device::described(finish).c_str());
    const device::Fault fault = device::explain(finish, limits_);
    leave(fault.finding, fault.status);
  }

  void finish_others() {
    if (contexts_.size() == 1) return;
    for (auto context = contexts_.rbegin(); context != contexts_.rend(); ++context) {
      require("cuCtxSetCurrent", driver().cuCtxSetCurrent(*context));
      require("cuCtxSynchronize", driver().cuCtxSynchronize());
    }
  }

  void note_launches(unsigned long long before) {
    const Launch last = last_launch();
    if (last.count == before) {
      cpu::report({cpu::Severity::kNote, "no_kernel", "solve() returned without launching a kernel.", {}});
    } else {
      cpu::report({cpu::Severity::kNote, "launch", device::launch_text(last), device::where(last)});
    }
  }

  device::Arrays arrays_;
  device::HostArrays host_arrays_;
  Watchdog watchdog_;
  std::atomic<bool> late_ = false;
  bool prepared_ = false;
  bool shared_by_mps_ = false;
  device::Device device_ = 0;
  device::Context context_ = nullptr;
  std::vector<device::Context> contexts_;  // of all devices, the first of which is our own
  device::Function null_kernel_ = nullptr;
  device::DeviceLimits limits_ = {};
  Submission submission_;
  FinishCall* finish_ = nullptr;
  LastLaunch* last_launch_ = nullptr;
};

// Never destroyed: it is used until the process ends.
DeviceRunner& runner() {
  static auto* instance = new DeviceRunner;
  return *instance;
}

void DeviceRunner::driver_failed(Result result, const char* call) {
  const std::string name = device::name_of(result), text = device::text_of(result);
  if (result == device::kOutOfMemory) {
    runner().leave({cpu::Severity::kError, "memory", "the device has too little memory left for the arguments", {}},
                   wire::kMemoryLimit);
  }
  if (runner().submission_.call && device::device_error(result)) {
    const device::Fault fault = device::explain_device(result, name, text, runner().last_launch());
    runner().leave(fault.finding, fault.status);
  }
  our_fault((std::string(call) + ": " + device::described(result, name, text)).c_str());
}

void DeviceRunner::expire(std::uint32_t limit_ms) {
  const Launch last = runner().last_launch();
  std::string message = "time limit of " + std::to_string(limit_ms) + " ms exceeded";
  message += device::launched(last) ? "; the last launch was kernel " + device::launch_text(last)
                                    : " in host code: no kernel was launched";
  runner().leave({cpu::Severity::kError, "time_limit",
                  message + ". Look for an endless loop, or spread the work over more threads.",
                  device::where(last)},
                 wire::kTimeLimit);
}

void on_crash(int number, siginfo_t* info, void* context) {
  // A second fault in here takes the default action.
  signal(number, SIG_DFL);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (!fault_has_address(number)) {
    runner().leave({cpu::Severity::kError, "host_crash", crash_text(number) + '.', {}}, wire::kRuntimeError);
  }
  if (const device::MappedArray* array = runner().array_at(address)) {
    runner().leave({cpu::Severity::kError, "host_access", host_access_text("argument " + array->name, context), {}},
                   wire::kIllegalAccess);
  }
  if (const device::HostArray* array = runner().host_array_at(address)) {
    runner().leave({cpu::Severity::kError, "out_of_bounds",
                    host_bounds_text(array->element(address), array->name, context), {}, array->name},
                   wire::kIllegalAccess);
  }
  if (stack_overflowed(address, context)) {
    runner().leave({cpu::Severity::kError, "stack_overflow", stack_overflow_text(), {}}, wire::kRuntimeError);
  }
  runner().leave({cpu::Severity::kError, "host_crash",
                  crash_text(number) + " at address " + cpu::hexadecimal(address) +
                      ". If that is device memory, access it only in kernels or with cudaMemcpy and cudaMemset.",
                  {}},
                 wire::kIllegalAccess);
}

}  // namespace
}  // namespace warpcourt

int main() {
  using namespace warpcourt;
  install_crash_handler(on_crash);
  serve(runner());
}
