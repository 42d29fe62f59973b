// The signals of a crash: what the kernel says about one. A handler runs on a stack of its own, in a process that
// is about to end.
//
// Handlers here allocate memory, which a handler must not do in general. The signal is synchronous and hardly
// ever raised inside the allocator; when it is, the second fault ends the process by the default action.
#pragma once

#include <signal.h>
#include <sys/resource.h>
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

// Where the stack of this OS thread begins, or null. It grows down from here.
inline const char*& stack_start() {
  thread_local const char* start = nullptr;
  return start;
}

// Whether the fault is on the stack of host code: everything between its pointer and its start is mapped,
// unless it has overflowed. A call may write below the pointer.
inline bool stack_overflowed([[maybe_unused]] unsigned long long address, [[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr unsigned long long kBelow = 64 << 10;
  const auto pointer = static_cast<unsigned long long>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
  const auto start = reinterpret_cast<unsigned long long>(stack_start());
  return pointer < start && address >= pointer - kBelow && address < start;
#else
  return false;
#endif
}

inline std::string stack_overflow_text() {
  rlimit limit = {};
  const bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return "stack overflow in host code. Recursion is too deep, or local arrays are too large" +
         (known ? ": the stack has " + std::to_string(limit.rlim_cur >> 10) + " KiB" : std::string()) +
         ". Put large arrays into a std::vector.";
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

// What happened to host code, without a full stop.
inline std::string crash_text(int number) {
  const std::string text = std::string("host code crashed: ") + signal_text(number);
  if (number != SIGABRT) return text;
  return text + ". It called abort(), failed an assert(), did not catch an exception, or destroyed a std::thread "
                "without join() or detach(). If it started many threads, start fewer";
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
  if (stack_start()) return;
  stack_start() = static_cast<const char*>(__builtin_frame_address(0));
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
