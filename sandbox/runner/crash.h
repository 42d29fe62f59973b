// The signals of a crash: what the kernel says about one. A handler runs on a stack of its own, in a process that
// is about to end.
//
// Handlers here allocate memory, which a handler must not do in general. The signal is synchronous and hardly
// ever raised inside the allocator; when it is, the second fault ends the process by the default action.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdlib>
#include <string>

namespace warpcourt {

constexpr std::size_t kSignalStackBytes = 128 << 10;

inline bool fault_has_address(int number) { return number == SIGSEGV || number == SIGBUS; }

inline bool fault_was_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr long kWriteBit = 2;  // page-fault error code
  return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit;
#else
  return false;
#endif
}

inline const char* signal_text(int number) {
  switch (number) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "division by zero or arithmetic trap";
    case SIGILL: return "illegal instruction";
    default: return "abort";
  }
}

inline const char* host_access_verb([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  return fault_was_write(context) ? "wrote" : "read";
#else
  return "accessed";
#endif
}

// What to tell an author whose host code touched device memory; `target` names the memory.
inline std::string host_access_text(const std::string& target, const void* context) {
  return std::string("host code ") + host_access_verb(context) + " device memory (" + target + "). " +
         (fault_was_write(context) ? "Write it in a kernel, or with cudaMemcpy or cudaMemset."
                                   : "Copy it to host memory with cudaMemcpy first.");
}

// Once for each OS thread that may crash: a handler cannot run on an exhausted stack.
inline void install_signal_stack() {
  thread_local bool installed = false;
  if (installed) return;
  installed = true;
  stack_t stack = {};
  stack.ss_size = kSignalStackBytes;
  stack.ss_sp = std::malloc(kSignalStackBytes);
  sigaltstack(&stack, nullptr);
}

// Once for the process.
inline void install_crash_handler(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
  install_signal_stack();
}

}  // namespace warpcourt
