// Names lines that compute in double precision. See doubles.h.
#include "doubles.h"

#include "counters.h"
#include "diagnostics.h"
#include "engine.h"

namespace warpcourt::cpu {

Doubles& doubles() {
  static auto* instance = new Doubles;
  return *instance;
}

void Doubles::report_lines() const {
  const Module& module = *engine().module;
  for (u32 i = 0; i < module.double_count; ++i) {
    const DoubleLine& line = module.doubles[i];
    const Kernel& kernel = module.kernels[line.kernel];
    if (!launched_.contains(&kernel)) continue;
    const std::string name = demangle(kernel.name);
    note_line("double_precision", name, line.location,
              "In kernel " + name + ", this line makes " + count(line.instructions, "instruction") +
                  " in double precision, although no array holds doubles. Many GPUs have few units for it.");
  }
}

}  // namespace warpcourt::cpu
