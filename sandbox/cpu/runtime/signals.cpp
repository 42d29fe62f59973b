// The handler for SIGSEGV and its kin. See runner/crash.h.
#include "signals.h"

#include "../../runner/crash.h"
#include "../../runner/host_mapping.h"
#include "diagnostics.h"
#include "host_arguments.h"
#include "memory.h"
#include "operations.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

thread_local const char* api_call = nullptr;

[[noreturn]] void device_fault(const ThreadRecord& thread, int number, u64 address) {
  if (thread.stack.guard_contains(address)) {
    fail({Severity::kError, "stack_overflow",
          "stack overflow" + place(thread, thread.location) +
              ". Recursion is too deep, or local arrays are too large: a thread has " +
              std::to_string(thread.stack.bytes() >> 10) + " KiB here.",
          where(thread, thread.location)},
         wire::kRuntimeError);
  }
  fail({Severity::kError, "device_fault",
        std::string(signal_text(number)) + " at address " + hexadecimal(address) + place(thread, thread.location) + '.',
        where(thread, thread.location)},
       wire::kIllegalAccess);
}

[[noreturn]] void host_touched_device(u64 address, const void* context) {
  const std::optional<Allocation> near = nearest_allocation(address);
  std::string target = near ? near->text() : "address " + hexadecimal(address);
  fail({Severity::kError, "host_access", host_access_text(target, context), {}}, wire::kIllegalAccess);
}

[[noreturn]] void host_left_argument(const Allocation& argument, u64 address, const void* context) {
  fail({Severity::kError, "out_of_bounds",
        host_bounds_text(argument.element(address, argument.element_bytes), argument.name, context), {}, argument.name},
       wire::kIllegalAccess);
}

void on_signal(int number, siginfo_t* info, void* context) {
  // A second fault in here takes the default action.
  signal(number, SIG_DFL);
  const u64 address = reinterpret_cast<u64>(info->si_addr);
  const bool has_address = fault_has_address(number);
  if (has_address && operations().host_touched(address, fault_was_write(context))) {
    install_signal_handlers();
    return;
  }
  if (in_kernel()) device_fault(*this_worker().current, number, address);
  if (has_address && api_call) {
    fail({Severity::kError, "host_pointer",
          std::string(api_call) + " received an invalid host pointer (" + hexadecimal(address) +
              "). Check the pointer, the size and the direction of the copy.",
          {}},
         wire::kRuntimeError);
  }
  if (has_address && in_arena(address)) host_touched_device(address, context);
  if (has_address) {
    if (const std::optional<Allocation> near = host_argument_near(address)) host_left_argument(*near, address, context);
  }
  if (has_address && stack_overflowed(address, context)) {
    fail({Severity::kError, "stack_overflow", stack_overflow_text(), {}}, wire::kRuntimeError);
  }
  std::string message = crash_text(number);
  if (has_address) message += " at address " + hexadecimal(address);
  fail({Severity::kError, "host_crash", message + '.', {}}, wire::kRuntimeError);
}

}  // namespace

void install_signal_handlers() { install_crash_handler(on_signal); }

void install_signal_stack() { warpcourt::install_signal_stack(); }

InApiCall::InApiCall(const char* name) { api_call = name; }
InApiCall::~InApiCall() { api_call = nullptr; }

}  // namespace warpcourt::cpu
