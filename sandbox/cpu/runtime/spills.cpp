// Names kernels with spilled registers. See spills.h.
#include "spills.h"

#include "counters.h"
#include "diagnostics.h"
#include "launch.h"

namespace warpcourt::cpu {

Spills& spills() {
  static auto* instance = new Spills;
  return *instance;
}

void Spills::start_launch(const Launch& launch) { threads_[launch.kernel] += launch.blocks * launch.threads; }

void Spills::report_kernels() const {
  for (const auto& [kernel, threads] : threads_) {
    const KernelResources& has = kernel->resources;
    if (!has.spills_much) continue;
    const std::string name = demangle(kernel->name);
    note_line("spills", name, kernel->location,
              "Kernel " + name + " has " + count(has.registers, "register") + " per thread, and that is too few: each thread spills " +
                  std::to_string(has.spilled_bytes) + " bytes to local memory and back. Its " + count(threads, "thread") +
                  " move " + std::to_string(threads * has.spilled_bytes) +
                  " bytes if each spill is executed once. Local memory is as slow as global memory.");
  }
}

}  // namespace warpcourt::cpu
