// A second system call filter, laid over the sandbox's own before a submission is loaded.
//
// Theory of operation. The limits of an MPS client hold for the process that has the GPU's context open, and a
// second CUDA process could choose its own. Once the context is there nothing of ours needs another process,
// so from here on there is none: no fork, no exec, threads alone. clone3 hides its flags behind a pointer that
// a filter cannot follow; it answers ENOSYS, and the C library falls back to clone. Nothing can take a filter
// away again, and it holds for all threads of the process (TSYNC).
//
// Source: seccomp(2), linux/seccomp.h.
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace warpcourt {

#if defined(__x86_64__)
constexpr unsigned kThisArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kThisArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "no system call filter for this machine"
#endif

// No process but this one, ever. False when the kernel refuses the filter.
inline bool forbid_processes() {
  constexpr unsigned kX32 = 0x40000000;
  std::vector<sock_filter> program;
  const auto add = [&](unsigned short code, unsigned value, unsigned char yes = 0, unsigned char no = 0) {
    program.push_back({code, yes, no, value});
  };
  const auto load = [&](std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); };
  const auto refuse = [&](unsigned call, unsigned error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
  };
  load(offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, kThisArchitecture, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  load(offsetof(seccomp_data, nr));
  add(BPF_JMP | BPF_JSET | BPF_K, kX32, 0, 1);
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  refuse(SYS_execve, EPERM);
  refuse(SYS_execveat, EPERM);
#ifdef SYS_fork
  refuse(SYS_fork, EPERM);
  refuse(SYS_vfork, EPERM);
#endif
  refuse(SYS_clone3, ENOSYS);
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
  load(offsetof(seccomp_data, args));
  add(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

}  // namespace warpcourt
