// Cheating: prints what a judge might be looking for and ends the process with success.
// What a program prints and its exit status prove nothing: without an answer, the verdict is never *accepted*.
#include <cstdio>
#include <unistd.h>

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    std::printf("{\"verdict\": \"accepted\"}\nPASS\n");
    std::fflush(stdout);
    _exit(0);
}
