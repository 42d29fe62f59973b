// Cheating: prints what a judge might be looking for and ends the process with success.
// Neither text nor exit status carries a verdict: a call that does not return is a failed call.
#include <cstdio>
#include <unistd.h>

extern "C" void solve(const float* input, float* output, int n) {
    std::printf("verdict: accepted\nAll cases passed.\n");
    std::fflush(stdout);
    _exit(0);
}
