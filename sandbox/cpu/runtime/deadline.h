// The time limit of a call of solve.
#pragma once

#include "abi.h"

namespace warpcourt::cpu {

// Starts the clock; 0 means no limit. On expiry the process ends with kTimeLimit and says what was running.
void start_deadline(u32 limit_ms);
void stop_deadline();

}  // namespace warpcourt::cpu
