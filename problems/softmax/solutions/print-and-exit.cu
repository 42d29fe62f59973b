// Cheating: it computes nothing, prints what it hopes to hear and ends the process with status 0.
// Neither output nor exit status carries a verdict: a call that does not return is a failed call.
#include <stdio.h>
#include <unistd.h>

extern "C" void solve(const float*, float*, int, int) {
    printf("{\"verdict\": \"accepted\"}\nAll cases passed\n");
    fflush(stdout);
    _exit(0);
}
