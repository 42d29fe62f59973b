// The handler for SIGSEGV and its kin. It runs on a stack of its own, in a process that is about to end.
//
// It allocates memory, which a handler must not do in general. The signal is synchronous and hardly ever
// raised inside the allocator; when it is, the second fault ends the process by the default action.
#include "signals.h"

#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>

#include "diagnostics.h"
#include "memory.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr std::size_t kSignalStackBytes = 128 << 10;
thread_local const char* api_call = nullptr;

const char* verb_of(const void* context) {
#if defined(__x86_64__)
  constexpr long kWriteBit = 2;  // page-fault error code
  const auto* machine = static_cast<const ucontext_t*>(context);
  return machine->uc_mcontext.gregs[REG_ERR] & kWriteBit ? "wrote" : "read";
#else
  (void)context;
  return "accessed";
#endif
}

const char* signal_text(int number) {
  switch (number) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "division by zero or arithmetic trap";
    case SIGILL: return "illegal instruction";
    default: return "abort";
  }
}

[[noreturn]] void device_fault(const ThreadRecord& thread, int number, u64 address) {
  if (thread.stack.guard_contains(address)) {
    fail({Severity::kError, "stack_overflow",
          "stack overflow" + place(thread, thread.location) +
              ". Recursion is too deep, or local arrays are too large: a thread has " +
              std::to_string(kStackBytes >> 10) + " KiB here.",
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
  const bool wrote = std::string_view(verb_of(context)) == "wrote";
  fail({Severity::kError, "host_access",
        std::string("host code ") + verb_of(context) + " device memory (" + target + "). " +
            (wrote ? "Write it in a kernel, or with cudaMemcpy or cudaMemset."
                   : "Copy it to host memory with cudaMemcpy first."),
        {}},
       wire::kIllegalAccess);
}

void on_signal(int number, siginfo_t* info, void* context) {
  // A second fault in here takes the default action.
  signal(number, SIG_DFL);
  const u64 address = reinterpret_cast<u64>(info->si_addr);
  const bool has_address = number == SIGSEGV || number == SIGBUS;
  if (in_kernel()) device_fault(*this_worker().current, number, address);
  if (has_address && api_call) {
    fail({Severity::kError, "host_pointer",
          std::string(api_call) + " was given a host pointer to memory that is not there (" + hexadecimal(address) +
              "). Check the pointer, the size and the direction of the copy.",
          {}},
         wire::kRuntimeError);
  }
  if (has_address && in_arena(address)) host_touched_device(address, context);
  std::string message = std::string("host code crashed: ") + signal_text(number);
  if (has_address) message += " at address " + hexadecimal(address);
  fail({Severity::kError, "host_crash", message + '.', {}}, wire::kRuntimeError);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
  install_signal_stack();
}

void install_signal_stack() {
  thread_local bool installed = false;
  if (installed) return;
  installed = true;
  stack_t stack = {};
  stack.ss_size = kSignalStackBytes;
  stack.ss_sp = std::malloc(kSignalStackBytes);
  sigaltstack(&stack, nullptr);
}

InApiCall::InApiCall(const char* name) { api_call = name; }
InApiCall::~InApiCall() { api_call = nullptr; }

}  // namespace warpcourt::cpu
