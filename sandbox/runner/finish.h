// What an artifact for a GPU tells the runner about a call: the contract between what is linked into every
// artifact (sandbox/gpu/compile) and device_runner.cpp. Plain C layout, because the two are compiled apart.
//
// Artifacts export, besides warpcourt_call and warpcourt_argument_names:
//
//     void warpcourt_finish(Finish*)           after each call: waits for the device, says what went wrong
//     const Launch* warpcourt_last_launch()    the last launch; the watchdog reads it while a kernel hangs
//
// All of it shares the process with a submission: it explains verdicts and decides none.
#pragma once

namespace warpcourt {

// A kernel launch as the program asked for it.
struct Launch {
  unsigned long long count;         // launches since the artifact was loaded; 0: no launch yet, the rest is empty
  const char* kernel;               // mangled name, or null when the runtime does not know it
  unsigned grid[3];
  unsigned block[3];
  unsigned long long shared_bytes;  // dynamic shared memory
};

struct Finish {
  int launch_error;     // cudaGetLastError() before the wait: a launch or a call that was refused, 0 for none
  int sync_error;       // cudaDeviceSynchronize(): what happened on the device, 0 for none
  const char* name;     // of the error, sync_error first: "cudaErrorIllegalAddress"; null for none
  const char* text;     // "an illegal memory access was encountered"; null for none
  Launch failed;        // the launch that was refused, if launch_error is of one; else the last launch
};

extern "C" {
using FinishCall = void(Finish*);
using LastLaunch = const Launch*();
}

}  // namespace warpcourt
