// What each call of solve leaves behind: memory, streams, events and handles of libraries.
//
// One call that leaves something may keep it for the next, such as a buffer that is made once. In race mode, solve is
// called several times for the same case. If two calls one after the other leave more than they found, that is a leak.
#pragma once

namespace warpcourt::cpu {

void start_leaks();
void report_leaks();

}  // namespace warpcourt::cpu
