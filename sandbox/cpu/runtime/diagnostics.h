// What a runner tells the author of a program: JSON lines on the diagnostics descriptor. Shared with the
// runner for GPUs (sandbox/runner/device_runner.cpp).
//
// At most 32 findings, 16 launches, 32 counts and 16 other notes are written, one for each kind and source line. One of the
// 32 is kept for a race, since the judge runs programs that race in further orders. A fatal one ends
// the process with the exit status that names the verdict, so it must come last: nothing is written after it.
//
// The judge explains each case by what was found in it. So if races, stream hazards and uninitialised reads that were
// written before are found in another case, the first one of each kind is written again, 24 in all.
#pragma once

#include <string>

#include "../../runner/wire.h"
#include "abi.h"

namespace warpcourt::cpu {

enum class Severity { kNote, kWarning, kError };

// Where a finding belongs. Everything is optional; `location` indexes Module::locations.
struct Where {
  std::string kernel;
  const Dim3* block = nullptr;
  const Dim3* thread = nullptr;
  u32 location = 0;
};

struct Finding {
  Severity severity;
  const char* kind;
  std::string message;
  Where where;
  std::string array = {};  // the argument that it is about
};

void set_diagnostics_descriptor(int descriptor);
// Where locations are looked up; without a module there are none.
void set_diagnostics_module(const Module* module);
void report(const Finding& finding);
// Before the first call of a case.
void start_case_of_findings();
// Writes a note that is the only one of its kind in a call, beyond the number of notes.
void report_always(const char* kind, const std::string& message);
// Says the last word of this process. Of several threads that fail at the same time, the first one speaks and
// the others stop here.
void report_last(const Finding& finding);
// The same, and ends the process.
[[noreturn]] void fail(const Finding& finding, wire::ExitStatus status);

// Calls `last_act` before `fail` ends the process.
void set_last_act(void (*last_act)());

// "(3,0,0)"
std::string text(const Dim3& index);
// "0x7f00"
std::string hexadecimal(u64 value);
// "line 7", or "reduce.h:12 of a library" where the line that called it is unknown, or "".
std::string line_text(u32 location);
// " (line 7)", or "" where the line is unknown.
std::string in_line(u32 location);
// The line in the submission itself, or 0.
u32 line_number(u32 location);
// The name without its parameter list and return type: "add", "scan<float>".
std::string demangle(const char* mangled);
// The same of a name that is demangled already.
std::string bare_name(std::string whole);
// "1 thread", "12 threads"
std::string count(u64 number, const char* noun);

}  // namespace warpcourt::cpu
